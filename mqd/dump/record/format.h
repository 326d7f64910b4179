/*
 * format.h - the names and limits of the record: looks at some ranks as JSON Lines.
 *
 * Each line is a JSON object, whose member "line" says what it is:
 *
 *   header          the first line: format, and of the first look program, host, time, what was asked for, and why it
 *                   is not whole
 *   look            the same of another look, from format 2 on. They are numbered in their order, from 1 on; 0 is that
 *                   of the header. A machine that could not be looked at has a look with a problem and without a time
 *   group           members of communicators, that later lines name by number; as runs [FIRST, COUNT, STEP]
 *   peers           the same with processes of other jobs, as runs [JOB, FIRST, COUNT]
 *   layout          what the listing of a process rests on
 *   place           where a thread is
 *   frame           a text for a frame of stacks
 *   stack           the frames of a thread, which name such texts by number, the innermost first
 *   communicator    a communicator of the process whose "rank" line follows
 *   operations      some operations of one queue of the last communicator. From format 3 on it has columns, as column.h
 *                   says; before, it has a list of objects
 *   window          a window of the process whose "rank" line follows
 *   answer          what a question about handles has as its answer, of the process whose "rank" line follows
 *   handle          an object of the last answer; what is told of it has columns
 *   rank            a process of a look. It ends what the lines before have begun
 *   warning         a warning that was given
 *   end             the last line, with counts: without it the record was cut
 *
 * From format 2 on a line may be told as differences to an earlier one of its kind: like.h says how.
 *
 * Lines of other kinds, and members with other names, are ignored: newer programs may write them. What such a program
 * may not do without a new number of the format is to change what lines and members mean. Members that are absent have
 * the value that fields.c names, mostly 0, false or nothing. Numbers of enumerators are those of mqd_extension.h and
 * mpi_interface.h.
 *
 * Addresses are strings, "0x7f00". Numbers without sign are integers up to 2^53, and else strings of the same form: all
 * programs can read them. A string that is no valid UTF-8 is an object instead: {"bytes": "ff0a"}.
 */
#ifndef MQD_DUMP_RECORD_FORMAT_H
#define MQD_DUMP_RECORD_FORMAT_H

#define RECORD_NAME "ompi-mqd"

/* All formats up to this one are read. */
enum { RECORD_FORMAT = 3, FIRST_FORMAT_WITH_LOOKS = 2, FIRST_FORMAT_WITH_LIKE = 2 };

/*
 * No line is longer. Operations come in lines of at most so many, so that a line is short whatever a queue holds. Only
 * many communicators with many peers whose messages are counted could make it longer.
 */
enum { MAX_LINE = 16 * 1024 * 1024, MAX_OPERATIONS_IN_LINE = 1024 };

/* A string has at most so many bytes: names of files have 4096, reasons may have two of them. */
enum { MAX_STRING = 16 * 1024 };

/*
 * The text of a frame has a function, a file and a number; what is behind that is cut. No more frames are named. Of a
 * process with more threads the other stacks are not written.
 */
enum { MAX_FRAME_TEXT = 512, MAX_STACK_FRAMES = 256, MAX_STACKS = 32 * 1024 };

/*
 * Ranks, and the processes of a communicator, as for a debug DLL. All groups of a record together have at most
 * MAX_MEMBERS members: a short line may stand for many.
 */
enum { MAX_RANKS = 16 * 1000 * 1000, MAX_MEMBERS = 64 * 1024 * 1024 };

/*
 * A line that is like another is shorter than what it stands for. Longer ones are not referred to. All that are like
 * others stand for not more than MAX_UNSAID and MAX_SHARE times what they say: real ones for two to ten times that.
 */
enum { MAX_LIKE_SIZE = 128 * 1024, MAX_UNSAID = 64 * 1024 * 1024, MAX_SHARE = 16 };

/* Of one record; and of all records of a report as well, so that their number is an int. */
enum { MAX_LOOKS = 1024 * 1024 };

#endif
