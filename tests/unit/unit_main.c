/* unit_main.c - the main of a program of tests that needs nothing else. */
#include "unit_test.h"

int main(void)
{
    return unit_tests_run(NULL, NULL);
}
