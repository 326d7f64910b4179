/*
 * cxx_name.h - the name of a C++ function, as a program writes it.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_CXX_NAME_H
#define MQD_DUMP_COLLECT_TARGET_CXX_NAME_H

/*
 * Returns the qualified name of a function without its parameters, for free(): "Solver<double>::exchange" of
 * "_ZN6SolverIdE8exchangeERSt6vectorIdSaIdEE". Of arguments of templates simple types and numbers are named, others are
 * "...". NULL if the symbol is none of C++, or is not understood.
 *
 * Symbols may be of any origin: the time is that of reading them, and nothing longer than 4096 bytes is looked at.
 */
char *cxx_name(const char *symbol);

#endif
