/* abi.c - the predefined handles: their names, and their numbers in the ABI that MPI 5.0 defines. */
#include "mqd/dll/handle/abi.h"

#include <string.h>

#include "mqd/dll/banned.h"

/*
 * The predefined ones are numbers of the standard (MPI 5.0, appendix A). Open MPI's objects for them are found by the
 * INTEGERs that they have in its mpif.h, which no release has changed.
 */
static const struct mqd_abi_handle handles[] = {
    {32, MQD_HANDLE_op, 0, "MPI_OP_NULL"},
    {33, MQD_HANDLE_op, 3, "MPI_SUM"},
    {34, MQD_HANDLE_op, 2, "MPI_MIN"},
    {35, MQD_HANDLE_op, 1, "MPI_MAX"},
    {36, MQD_HANDLE_op, 4, "MPI_PROD"},
    {40, MQD_HANDLE_op, 6, "MPI_BAND"},
    {41, MQD_HANDLE_op, 8, "MPI_BOR"},
    {42, MQD_HANDLE_op, 10, "MPI_BXOR"},
    {48, MQD_HANDLE_op, 5, "MPI_LAND"},
    {49, MQD_HANDLE_op, 7, "MPI_LOR"},
    {50, MQD_HANDLE_op, 9, "MPI_LXOR"},
    {56, MQD_HANDLE_op, 12, "MPI_MINLOC"},
    {57, MQD_HANDLE_op, 11, "MPI_MAXLOC"},
    {60, MQD_HANDLE_op, 13, "MPI_REPLACE"},
    {61, MQD_HANDLE_op, 14, "MPI_NO_OP"},
    {256, MQD_HANDLE_communicator, 2, "MPI_COMM_NULL"},
    {257, MQD_HANDLE_communicator, 0, "MPI_COMM_WORLD"},
    {258, MQD_HANDLE_communicator, 1, "MPI_COMM_SELF"},
    {264, MQD_HANDLE_group, 0, "MPI_GROUP_NULL"},
    {265, MQD_HANDLE_group, 1, "MPI_GROUP_EMPTY"},
    {272, MQD_HANDLE_window, 0, "MPI_WIN_NULL"},
    {280, MQD_HANDLE_file, 0, "MPI_FILE_NULL"},
    {288, MQD_HANDLE_session, 0, "MPI_SESSION_NULL"},
    {296, MQD_HANDLE_message, 0, "MPI_MESSAGE_NULL"},
    {297, MQD_HANDLE_message, 1, "MPI_MESSAGE_NO_PROC"},
    {304, MQD_HANDLE_info, 0, "MPI_INFO_NULL"},
    {305, MQD_HANDLE_info, 1, "MPI_INFO_ENV"},
    {320, MQD_HANDLE_errhandler, 0, "MPI_ERRHANDLER_NULL"},
    {321, MQD_HANDLE_errhandler, 1, "MPI_ERRORS_ARE_FATAL"},
    {322, MQD_HANDLE_errhandler, 3, "MPI_ERRORS_ABORT"},
    {323, MQD_HANDLE_errhandler, 2, "MPI_ERRORS_RETURN"},
    {384, MQD_HANDLE_request, 0, "MPI_REQUEST_NULL"},
    {512, MQD_HANDLE_datatype, 0, "MPI_DATATYPE_NULL"},
    {513, MQD_HANDLE_datatype, 66, "MPI_AINT"},
    {514, MQD_HANDLE_datatype, 72, "MPI_COUNT"},
    {515, MQD_HANDLE_datatype, 67, "MPI_OFFSET"},
    {519, MQD_HANDLE_datatype, 2, "MPI_PACKED"},
    {520, MQD_HANDLE_datatype, 37, "MPI_SHORT"},
    {521, MQD_HANDLE_datatype, 39, "MPI_INT"},
    {522, MQD_HANDLE_datatype, 41, "MPI_LONG"},
    {523, MQD_HANDLE_datatype, 43, "MPI_LONG_LONG"},
    {524, MQD_HANDLE_datatype, 38, "MPI_UNSIGNED_SHORT"},
    {525, MQD_HANDLE_datatype, 40, "MPI_UNSIGNED"},
    {526, MQD_HANDLE_datatype, 42, "MPI_UNSIGNED_LONG"},
    {527, MQD_HANDLE_datatype, 44, "MPI_UNSIGNED_LONG_LONG"},
    {528, MQD_HANDLE_datatype, 45, "MPI_FLOAT"},
    {530, MQD_HANDLE_datatype, 69, "MPI_C_FLOAT_COMPLEX"},
    {531, MQD_HANDLE_datatype, 55, "MPI_CXX_FLOAT_COMPLEX"},
    {532, MQD_HANDLE_datatype, 46, "MPI_DOUBLE"},
    {534, MQD_HANDLE_datatype, 70, "MPI_C_DOUBLE_COMPLEX"},
    {535, MQD_HANDLE_datatype, 56, "MPI_CXX_DOUBLE_COMPLEX"},
    {536, MQD_HANDLE_datatype, 6, "MPI_LOGICAL"},
    {537, MQD_HANDLE_datatype, 7, "MPI_INTEGER"},
    {538, MQD_HANDLE_datatype, 13, "MPI_REAL"},
    {539, MQD_HANDLE_datatype, 18, "MPI_COMPLEX"},
    {540, MQD_HANDLE_datatype, 17, "MPI_DOUBLE_PRECISION"},
    {541, MQD_HANDLE_datatype, 22, "MPI_DOUBLE_COMPLEX"},
    {542, MQD_HANDLE_datatype, 5, "MPI_CHARACTER"},
    {544, MQD_HANDLE_datatype, 47, "MPI_LONG_DOUBLE"},
    {548, MQD_HANDLE_datatype, 71, "MPI_C_LONG_DOUBLE_COMPLEX"},
    {549, MQD_HANDLE_datatype, 57, "MPI_CXX_LONG_DOUBLE_COMPLEX"},
    {552, MQD_HANDLE_datatype, 48, "MPI_FLOAT_INT"},
    {553, MQD_HANDLE_datatype, 49, "MPI_DOUBLE_INT"},
    {554, MQD_HANDLE_datatype, 51, "MPI_LONG_INT"},
    {555, MQD_HANDLE_datatype, 52, "MPI_2INT"},
    {556, MQD_HANDLE_datatype, 53, "MPI_SHORT_INT"},
    {557, MQD_HANDLE_datatype, 50, "MPI_LONG_DOUBLE_INT"},
    {560, MQD_HANDLE_datatype, 23, "MPI_2REAL"},
    {561, MQD_HANDLE_datatype, 24, "MPI_2DOUBLE_PRECISION"},
    {562, MQD_HANDLE_datatype, 25, "MPI_2INTEGER"},
    {568, MQD_HANDLE_datatype, 68, "MPI_C_BOOL"},
    {569, MQD_HANDLE_datatype, 54, "MPI_CXX_BOOL"},
    {572, MQD_HANDLE_datatype, 33, "MPI_WCHAR"},
    {576, MQD_HANDLE_datatype, 58, "MPI_INT8_T"},
    {577, MQD_HANDLE_datatype, 59, "MPI_UINT8_T"},
    {579, MQD_HANDLE_datatype, 34, "MPI_CHAR"},
    {580, MQD_HANDLE_datatype, 36, "MPI_SIGNED_CHAR"},
    {581, MQD_HANDLE_datatype, 35, "MPI_UNSIGNED_CHAR"},
    {583, MQD_HANDLE_datatype, 1, "MPI_BYTE"},
    {584, MQD_HANDLE_datatype, 60, "MPI_INT16_T"},
    {585, MQD_HANDLE_datatype, 61, "MPI_UINT16_T"},
    {592, MQD_HANDLE_datatype, 62, "MPI_INT32_T"},
    {593, MQD_HANDLE_datatype, 63, "MPI_UINT32_T"},
    {600, MQD_HANDLE_datatype, 64, "MPI_INT64_T"},
    {601, MQD_HANDLE_datatype, 65, "MPI_UINT64_T"},
    {704, MQD_HANDLE_datatype, 29, "MPI_LOGICAL1"},
    {705, MQD_HANDLE_datatype, 8, "MPI_INTEGER1"},
    {712, MQD_HANDLE_datatype, 30, "MPI_LOGICAL2"},
    {713, MQD_HANDLE_datatype, 9, "MPI_INTEGER2"},
    {714, MQD_HANDLE_datatype, 28, "MPI_REAL2"},
    {720, MQD_HANDLE_datatype, 31, "MPI_LOGICAL4"},
    {721, MQD_HANDLE_datatype, 10, "MPI_INTEGER4"},
    {722, MQD_HANDLE_datatype, 14, "MPI_REAL4"},
    {723, MQD_HANDLE_datatype, 73, "MPI_COMPLEX4"},
    {728, MQD_HANDLE_datatype, 32, "MPI_LOGICAL8"},
    {729, MQD_HANDLE_datatype, 11, "MPI_INTEGER8"},
    {730, MQD_HANDLE_datatype, 15, "MPI_REAL8"},
    {731, MQD_HANDLE_datatype, 19, "MPI_COMPLEX8"},
    {736, MQD_HANDLE_datatype, 77, "MPI_LOGICAL16"},
    {737, MQD_HANDLE_datatype, 12, "MPI_INTEGER16"},
    {738, MQD_HANDLE_datatype, 16, "MPI_REAL16"},
    {739, MQD_HANDLE_datatype, 20, "MPI_COMPLEX16"},
    {747, MQD_HANDLE_datatype, 21, "MPI_COMPLEX32"},
};

enum { N_HANDLES = sizeof handles / sizeof handles[0] };

const struct mqd_abi_handle *mqd_abi_handle(mqd_taddr value)
{
    for (size_t i = 0; i < N_HANDLES; i++)
        if (handles[i].value == value)
            return &handles[i];
    return NULL;
}

const struct mqd_abi_handle *mqd_abi_handle_at(enum mqd_handle_kind kind, long fortran)
{
    for (size_t i = 0; i < N_HANDLES; i++)
        if (handles[i].kind == kind && (long)handles[i].fortran == fortran)
            return &handles[i];
    return NULL;
}

const struct mqd_abi_handle *mqd_abi_handle_named(enum mqd_handle_kind kind, const char *name)
{
    for (size_t i = 0; i < N_HANDLES; i++)
        if (handles[i].kind == kind && strcmp(handles[i].name, name) == 0)
            return &handles[i];
    return NULL;
}
