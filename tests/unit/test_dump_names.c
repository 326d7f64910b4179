/* test_dump_names.c - functions and files as people name them, whatever their symbols are. */
#include "unit_test.h"

#include "mqd/dump/collect/target/elf/cxx_name.h"
#include "mqd/dump/collect/target/elf/function_name.h"

static void check_said(const char *symbol, bool is_fortran, const char *expected)
{
    assert_string_equal(of_test(function_said(symbol, is_fortran)), expected);
}

TEST(functions_of_cxx)
{
    static const char *const names[][2] = {
        {"_ZN6SolverIdE8exchangeERSt6vectorIdSaIdEE", "Solver<double>::exchange"},
        {"_ZN6SolverIdLin3ELb1EE3runIZ4mainEUlvE_EEvT_", "Solver<double, -3, true>::run<...>"},
        {"_ZN6SolverIN2my4deep1CELi2EEC1Ev", "Solver<my::deep::C, 2>::Solver"},
        {"_ZN6SolverIdED0Ev", "Solver<double>::~Solver"},
        {"_ZNSt6vectorIdSaIdEE9push_backEOd", "std::vector<double>::push_back"},
        {"_ZNKSs4sizeEv", "std::string::size"},
        {"_ZN12_GLOBAL__N_11A1fEv", "(anonymous namespace)::A::f"},
        {"_ZL4stepv", "step"},
        {"_ZZN4HaloIdE4sendEvENKUlvE_clEv", "Halo<double>::send::{lambda}::operator()"},
        {"_ZThn16_N3lib5Child4workEv", "lib::Child::work"},
        {"_ZN3fooB5cxx113barEv", "foo::bar"},
        {"_ZN1AlsEi", "A::operator<<"},
        {"_ZN1A3runEv.constprop.0", "A::run"},
        {"_ZNK1AcvdEv", "A::operator double"},
        {"_ZNK1AcvN2my1BEEv", "A::operator my::B"},
        {"_ZNK1AcvPKcEv", "A::operator ..."},
        {"_ZStltIcEbRKT_S1_", "std::operator< <char>"},
        {"_ZNK1AcvM1BiEv", "A::operator ..."},
        {"_ZNSaIcED1Ev", "std::allocator<char>::~allocator"},
        {"_ZNSt3mapIiE4findEi", "std::map<int>::find"},
        {"_ZNSi3getEv", "std::istream::get"},
        {"_ZNSd4openEv", "std::iostream::open"},
        {"_ZTv0_n24_N1A4workEv", "A::work"},
        {"_ZThn16_N1A4workEv", "A::work"},
        {"_ZZ4mainENUt_4workEv", "main::{unnamed}::work"},
        {"_ZZ4mainENUt0_4workEv", "main::{unnamed}::work"},
        {"_ZN1AD0Ev", "A::~A"},
        {"_ZN1AC2ERKS_", "A::A"},
        {"_ZNVK1A3runEv", "A::run"},
        {"_ZN1A3getILj7EEEvv", "A::get<7>"},
        {"_ZN1A3getILb0ELc65ELx9EEEvv", "A::get<false, 65, 9>"},
        {"_ZN1A3getIsyEEvv", "A::get<short, unsigned long long>"},
        {"_ZN1A3getI1BIiEdEEvv", "A::get<...>"},
        {"_ZN1A3getIdPiEEvv", "A::get<double, ...>"},
        {"_ZN1A3getIA5_iEEvv", "A::get<...>"},
        {"_ZN1A3getIFviEEEvv", "A::get<...>"},
        {"_ZN1A3getIDnEEvv", "A::get<...>"},
        {"_ZN1A3getIJidEEEvv", "A::get<...>"},
        {"_ZN1A3getIDpT_EEvv", "A::get<...>"},
        {"_ZN1A3getILiEEEvv", "A::get<...>"},
        {"_ZN1A3getIS_EEvv", "A::get<...>"},
        {"_ZN1A3getINEEEvv", "A::get<...>"},
        {"_ZN1A3getIvEEvv", "A::get<void>"},
        {"_ZNK1AcvDpT_Ev", "A::operator ..."},
        {"_ZNK1AcvPDoFvvEEv", "A::operator ..."},
        {"_ZNK1AcvSt6vectorIiEEv", "A::operator ..."},
        {"_ZNK1AcvSsEv", "A::operator ..."},
        {"_ZNK1AcvZ4mainEUt_Ev", "A::operator ..."},
        {"_ZN1A3getINS_1BEEEvv", "A::get<...>"},
        {"_ZN1AclEv", "A::operator()"},
        {"_ZN1AixEi", "A::operator[]"},
        {"_ZN1AssERKS_", "A::operator<=>"},
        {"_ZN1AnwEm", "A::operator new"},
        {"_ZlsIiEvRSoT_", "operator<< <int>"},
        {"_Z3viaIXadL_Z2nxiEEEvv", "via<...>"},
        {"_Z3viaIXadL_ZN1A3runEvEELi3EE3getv", "via<...>"},
        {"_Z3viaIZ4mainE1A_0EvT_", "via<...>"},
        {"_ZN3viaIZ4mainE1A__12_E3getEv", "via<...>::get"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_said(names[i][0], false, names[i][1]);
}

/* What is not understood stays as it is. */
TEST(names_that_are_none_of_cxx)
{
    static const char *const names[] = {"_Z", "_ZN", "_ZNE3foo", "_ZN3fo", "_Z99999999999999999999a", "_ZN1A", "_ZTV1A",
                                        "main", "_ZN3fooIX1aEE3barEv", "_ZN3fooILiE", "_ZN3fooIL", "_ZN1AC",
                                        "_ZN1A0Ev", "_ZNIdE1AEv", "_ZN3fooIXadL_1aEEE3barEv", "_ZN3fooIXcl1aEE3barEv",
                                        "_ZN1ACxEv", "_ZNC1Ev", "_ZN1AcvEEv", "_ZN3fooIDqE3barEv", "_ZN3fooIA5iE3barEv",
                                        "_ZN3fooIS9iE3barEv", "_ZN4097aE", "_ZThn16N1A1fEv", "_ZGVN1A1fE"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(cxx_name(names[i]));
    check_said("_ZN1A", false, "_ZN1A");
}

/* Each beginning, and each letter in the place of each, in memory that ends with the name. */
TEST(hostile_names_of_cxx)
{
    static const char name[] = "_ZZN4HaloIdLi3ESt6vectorIiSaIiEEM1AFvS0_ENUliE_EDpT_JA5_cDnEE4sendEvENKUlvE_clEPKRd";
    static const char letters[] = "0159NSEITLZDKPRMUABCXJF_lnvidt\x01\xff";

    for (size_t end = 0; end < sizeof name; end++) {
        char *copy = test_text("%.*s", (int)end, name);

        free(cxx_name(copy));
        for (size_t i = 0; i < sizeof letters && end > 0; i++) {
            copy[end - 1] = letters[i];
            free(cxx_name(copy));
        }
    }
    for (size_t end = 0; end + 1 < sizeof name; end++)
        for (size_t i = 0; i < sizeof letters - 1; i++) {
            char *copy = test_text("%s", name);

            copy[end] = letters[i];
            free(cxx_name(copy));
        }
}

static char *repeated(const char *start, const char *text, size_t n)
{
    char *all = allocate_array(strlen(start) + n * strlen(text) + 1, 1), *end = stpcpy(all, start);

    for (size_t i = 0; i < n; i++)
        end = stpcpy(end, text);
    return all;
}

/* Nothing is deep enough to use up the stack, or to be written out. */
TEST(deep_names_of_cxx)
{
    static const char *const parts[] = {"N", "Z", "I", "3fooI", "L", "S_", "NS_I", "1aI1bI", "UlvE_", "1a", "P",
                                        "XadL_Z1aI", "Xad"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t n = 1; n < 100000; n *= 10) {
            char *name = of_test(repeated("_ZN3fooI", parts[i], n)), *said = of_test(function_said(name, false));

            assert_true(strlen(said) <= MAX_SAID_NAME);
        }
}

TEST(functions_of_fortran)
{
    check_said("__halo_MOD_exchange", true, "halo::exchange");
    check_said("__halo_MOD_exchange", false, "halo::exchange");
    check_said("__halo.details_MOD_exchange", true, "details::exchange");
    check_said("__halo.details_MOD_exchange.constprop.0", true, "details::exchange");
    check_said("__halo.details", true, "__halo");
    check_said("halo_mp_exchange_", true, "halo::exchange");
    check_said("halo_mp_exchange_", false, "halo_mp_exchange_");
    check_said("exchange_", true, "exchange");
    check_said("exchange_all__", true, "exchange_all");
    check_said("exchange___", true, "exchange_");
    check_said("exchange_", false, "exchange_");
    check_said("Exchange_", true, "Exchange_");
    check_said("step.0", true, "step");
    check_said("MAIN__", true, "the main program");
    check_said("MAIN__", false, "MAIN__");
    check_said("_", true, "_");
    check_said("", true, "");
    check_said("_mp_", true, "_mp");
    check_said("a_mp_", true, "a_mp");
    check_said("a_mp__", true, "a::");
    check_said("__a_MOD_b", true, "a::b");
    check_said("___MOD_", true, "___MOD_");
    check_said("__MOD_", true, "__MOD_");
}

static void check_procedure(const char *module, const char *name, const char *expected)
{
    assert_string_equal(of_test(procedure_said(module, name)), expected);
}

/* As the source has them. */
TEST(procedures_of_fortran)
{
    check_procedure("halo", "exchange", "halo::exchange");
    check_procedure("halo.details", "exchange", "details::exchange");
    check_procedure(NULL, "exchange", "exchange");
    check_procedure("", "", "::");
}

TEST(parts_of_functions)
{
    check_said("save_state.isra.0.part.1", false, "save_state");
    check_said("save_state._omp_fn.0", false, "save_state");
    check_said(".L3", false, ".L3");
    check_said("__invoke_r<void, main(int)::<lambda()>&>", false, "__invoke_r<...>");
    check_said("<lambda()>", false, "<lambda()>");
    check_said("operator()", false, "operator()");
    check_said("operator<< <int>", false, "operator<< <int>");
}

/* Between characters, of which bytes from 0x80 to 0xbf are the rest. */
TEST(names_that_are_too_long_are_cut)
{
    char *sixty = of_test(repeated("", "a", 60)), *odd = of_test(repeated("b", "\303\244", 40)), *even = odd + 1;

    check_said(sixty, false, sixty);
    check_said(test_text("%sa", sixty), false, test_text("%.57s...", sixty));
    check_said(odd, false, test_text("%.57s...", odd));
    check_said(even, false, test_text("%.56s...", even));
    check_said(of_test(repeated("", "\200", 70)), false, "...");
}

TEST(headers)
{
    assert_true(is_header("/usr/include/boost/mpi/communicator.hpp"));
    assert_true(is_header("/usr/include/c++/12/functional"));
    assert_false(is_header("/home/me/include/solver.cpp"));
    assert_false(is_header("/home/me/solver.hpp"));
    assert_false(is_header("solver.c"));
    assert_false(is_header(""));
}

static void check_file(const char *path, const char *expected, bool expected_python)
{
    bool is_python;

    assert_string_equal(of_test(file_said(path, &is_python)), expected);
    assert_int_equal(is_python, expected_python);
}

TEST(files_of_programs)
{
    check_file("/usr/lib/libhdf5_openmpi.so.103.3.0", "libhdf5_openmpi", false);
    check_file("/usr/lib/libfoo.so", "libfoo", false);
    check_file("/home/user/solver", "solver", false);
    check_file("/home/user/solver.sort", "solver.sort", false);
    check_file("/usr/bin/python3.11", "Python", true);
    check_file("/usr/lib/libpython3.11.so.1.0", "Python", true);
    check_file("/opt/bin/pythonic", "pythonic", false);
    check_file("/usr/lib/python3/dist-packages/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so", "mpi4py's MPI", false);
    check_file("/home/me/env/lib/python3.11/site-packages/h5py/_debian_h5py_mpi/h5d.cpython-311-x86_64-linux-gnu.so",
               "h5py's h5d", false);
    check_file("/home/me/solver/build/fast.cpython-311-x86_64-linux-gnu.so", "build's fast", false);
    check_file("/usr/lib/python3.11/lib-dynload/_ssl.cpython-311-x86_64-linux-gnu.so", "_ssl of Python", false);
    check_file("/usr/lib/python3/dist-packages/_solver.abi3.so", "_solver of Python", false);
    check_file("MPI.cpython-311.so", "MPI of Python", false);
    check_file("/.so", ".so", false);
    check_file("", "", false);
}
