/*
 * test_dump_record_refusals.c - each check of a record: what it refuses, with which message, and that it accepts what
 * lies just inside. refusals.py looks that each message is here.
 */
#include "unit_test.h"

#include "dump_record.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/read.h"

/* A good record. Each line has a name, by which rows refer to it. */

#define HEADER "{\"line\":\"header\",\"record\":\"ompi-mqd\",\"format\":2,\"mqdump\":\"1\",\"processes\":1," \
               "\"taken\":\"2024-05-31T17:08:59.123456Z\"}"
#define COMMUNICATOR "{'line':'communicator','queues':[{'available':true},{},{}]}\n"
#define LAYOUT "{\"line\":\"layout\",\"number\":0,\"gaps\":[{},{},{}]}\n"

static const struct {
    const char *name, *text;
} lines[] = {
    {"header", HEADER},
    {"look", "{'line':'look','problem':'no route'}"},
    {"group", "{'line':'group','number':0,'members':[[0,2]]}"},
    {"spare_group", "{'line':'group','number':1,'members':[[0],[4]]}"},
    {"peers", "{'line':'peers','number':0,'members':[[7,0,2]]}"},
    {"spare_peers", "{'line':'peers','number':1,'members':[[7,0],[8,0]]}"},
    {"layout", "{'line':'layout','number':0,'summary':{},'libraries':[{'summary':{}}],'gaps':[{},{},{}],'details':{"
               "'types':[{'name':'t','source':'s'}],"
               "'fields':[{'type':'t','member':'m','kind':'k','source':'s'}],'probes':[{'name':'n','result':'r'}],"
               "'capabilities':[{'name':'n','text':'t'}],'limits':[{}]}}"},
    {"place", "{'line':'place','number':0,'state':2,'function':'MPI_Recv','chain':['main']}"},
    {"wrapper", "{'line':'place','number':1,'state':1,'function':'MPI_Recv','through':'libw.so'}"},
    {"outside", "{'line':'place','number':2,'state':1}"},
    {"frame", "{'line':'frame','number':0,'text':'main'}"},
    {"stack", "{'line':'stack','number':0,'frames':[0]}"},
    {"alone", "{'line':'communicator','summary':{},'queues':[{},{},{}]}"},
    {"communicator", "{'line':'communicator','size':2,'group':0,'has_summary':true,'summary':{'remote_size':2},"
                     "'use':{},'arrangement':{'dimensions':[{}]},'peers':0,'traffic':[[0,1,1],[1,1,1]],"
                     "'queues':[{'available':true},{'available':true},{}]}"},
    {"described", "{'line':'operations','queue':0,'described':true,'operations':[{'extra_text':['x']}]}"},
    {"more", "{'line':'operations','queue':0,'described':true,'operations':[{}]}"},
    {"plain", "{'line':'operations','queue':1,'described':false,'operations':[{}]}"},
    {"plainer", "{'line':'operations','queue':1,'described':false,'operations':[{}]}"},
    {"runs", "{'line':'operations','queue':0,'described':true,'n':4,'columns':{'tag_wild':[[1,4]],"
             "'desired_tag':[[1,4]],'extra_text':{'1':[['x',4]]},'buffer':[[0,4]],'named':[[true,4]],"
             "'datatype':[['c',4]]}}"},
    {"window", "{'line':'window','size':2,'group':0,'peers':[{'rank':0},{'rank':1}]}"},
    {"answer", "{'line':'answer','question':'--files'}"},
    {"handle", "{'line':'handle','summary':{},'n':4,'columns':{'number':[[1,4]]}}"},
    {"rank", "{'line':'rank','layout':0,'has_communicators':true,'name':{},'missing':{'job':'j','fate':'f'},"
             "'calls':{'threads':[{'place':0}],'stacks':[{'stack':0}]},'activity':{'thread':1},"
             "'openmp':{'runtimes':[{'file':'a','name':'b'}],'teams':[{}],'threads':[{}]}}"},
    {"warning", "{'line':'warning','text':'w'}"},
    {"end", "{'line':'end','ranks':1,'lines':25}"},
};
enum { N_LINES = sizeof lines / sizeof *lines };

/* Texts: ' stands for ", and <N*TEXT> for N times the text, in a list with commas between. For free(). */
static char *expand(const char *text)
{
    char *expanded, before = '\0';
    size_t size;
    FILE *to = open_memstream(&expanded, &size);

    for (; *text != '\0'; before = *text++) {
        int n, start = 0, end = 0;

        if (*text != '<' || sscanf(text, "<%d*%n%*[^>]>%n", &n, &start, &end) != 1 || end == 0) {
            fputc(*text, to);
            continue;
        }
        for (int i = 0; i < n; i++)
            fprintf(to, "%s%.*s", i > 0 && before == '[' ? "," : "", end - start - 1, text + start);
        text += end - 1;
    }
    fclose(to);
    for (char *at = expanded; (at = strchr(at, '\'')) != NULL;)
        *at = '"';
    return expanded;
}

static json_t *parse(const char *text)
{
    json_t *value = json_loads(of_test(expand(text)), JSON_DECODE_ANY, NULL);

    if (value == NULL)
        fail_msg("it is no JSON: %s", text);
    return value;
}

static json_t *member(json_t *container, const char *key)
{
    return json_is_array(container) ? json_array_get(container, strtoul(key, NULL, 10))
                                    : json_object_get(container, key);
}

/* Puts a value in place of the one of a path, as in "calls.threads.0.place"; "": removes it. */
static void put(json_t *line, const char *path, const char *value)
{
    char key[64];
    int length;

    while (sscanf(path, "%63[^.]%n", key, &length) == 1 && path[length] == '.') {
        line = member(line, key);
        path += length + 1;
    }
    if (!json_is_object(line) && member(line, key) == NULL)
        fail_msg("there is no %s", path);
    if (json_is_array(line))
        json_array_set_new(line, strtoul(key, NULL, 10), parse(value));
    else if (*value == '\0')
        json_object_del(line, key);
    else
        json_object_set_new(line, key, parse(value));
}

/* The good record with another value at a path, which begins with the name of a line. That line's number is *number. */
static char *text_with(const char *path, const char *value, size_t *number)
{
    size_t length = strcspn(path, "."), size;
    char *text;
    FILE *to = open_memstream(&text, &size);

    *number = 0;
    for (size_t i = 0; i < N_LINES; i++) {
        json_t *line = parse(lines[i].text);

        if (strlen(lines[i].name) == length && strncmp(lines[i].name, path, length) == 0) {
            *number = i + 1;
            if (value != NULL)
                put(line, path + length + 1, value);
        }
        json_dumpf(line, to, JSON_COMPACT);
        fputc('\n', to);
        json_decref(line);
    }
    fclose(to);
    assert_true(*number > 0);
    return text;
}

/* Values: the last ones that are accepted, and the first ones that are not. "a|b" are two, also of paths. */

static const struct row {
    const char *path, *inside, *outside; /* NULL: as it is; nothing: there is none */
    const char *message;
} rows[] = {
    {"header.record", NULL, "'ompi'", "it is no record of mqdump"},
    {"header.format", "1", "0", "is not between 1 and 2147483647"},
    {"header.format", "3", "4", "its format is 4, of mqdump 1: this mqdump reads formats up to 3"},
    {"header.taken", "'0000-00-00T99:99:99.999999Z'",
     "'now'||'2024-05-31T17:08:59.123456Z0'|'2024-05-31T17:08:59.12345:Z'|'2024-05-31 17:08:59.123456Z'",
     "\"taken\" is no time"},
    {"header.problem", "'?'", "7", "\"problem\" of look is no string"},
    {"look.line", "'novelty'", "", "it does not say what it is"},
    {"look.problem", "''", "", "\"taken\" is no time"},
    {"look.taken", "'2024-05-31T17:08:59.123456Z'", "'now'", "\"taken\" is no time"},

    {"group.number", "'0x0'", "1", "its number is not the next one, 0"},
    {"spare_group.number", "'0x1'", "0", "its number is not the next one, 1"},
    {"spare_group.number", NULL, "'1'|'001'|'0x'|'0x+1'|'0x1 '|'0x10000000000000000'|-1|1.0",
     "is no number without sign"},
    {"spare_group.members", "[]", "7|", "\"members\" is no list"},
    {"spare_group.members.0", "[0]", "[]|0", "has a run that is none"},
    {"spare_group.members.0", "[-16]|[16000000]", "[-17]|[16000001]", "is not between -16 and 16000000"},
    {"spare_group.members.0", NULL, "[0.5]", "is no integer"},
    {"spare_group.members.0", "[0,1]|[1,16000000]", "[0,0]|[0,16000001]", "is not between 1 and 16000000"},
    {"spare_group.members.0", "[0,1,16000001]|[0,1,-16000001]", "[0,1,16000002]|[0,1,-16000002]",
     "is not between -16000001 and 16000001"},
    {"spare_group.members.0", "[0,2,16000000]|[0,17,-1]", "[0,2,16000001]|[0,18,-1]",
     "has a run with ranks that cannot be"},
    {"peers.number|layout.number|place.number|frame.number|stack.number", NULL, "1",
     "its number is not the next one, 0"},
    {"spare_peers.members", "[]", "", "\"members\" is no list"},
    {"spare_peers.members.1", "['0xffffffffffffffff',0]", "[-1,0]", "is no number without sign"},
    {"spare_peers.members.1", "[7,-16]", "[7,-17]", "is not between -16 and 16000000"},
    {"spare_peers.members.1", "[7,0]", "[7]", "has a run that is none"},

    {"layout.libraries", "[]", "7", "a list of library is none"},
    {"layout.libraries.0", "{}", "7", "an element of a list of library is no object"},
    {"layout.libraries.0.summary.name", "'n'", "7", "\"name\" of library_summary is no string"},
    {"layout.summary.arch", "'a'", "7", "\"arch\" of layout_summary is no string"},
    {"layout.gaps", NULL, "[{},{}]|[{},{},{},{}]", "\"gaps\" has not 3 elements"},
    {"layout.gaps.2.text", "'t'", "7", "\"text\" of gap is no string"},
    {"layout.details.types", "[]", "7", "a list of type is none"},
    {"layout.details.fields", "[]", "7", "a list of layout_field is none"},
    {"layout.details.probes", "[]", "7", "a list of probe is none"},
    {"layout.details.capabilities", "[]", "7", "a list of capability is none"},
    {"layout.details.limits", "", "7", "a list of limit is none"},
    {"layout.details.limits", "[{},{}]", "[{},0]", "an element of a list of limit is no object"},
    {"layout.details.types.0.name|layout.details.types.0.source|layout.details.fields.0.type|"
     "layout.details.fields.0.member|layout.details.fields.0.kind|layout.details.fields.0.source|"
     "layout.details.probes.0.name|layout.details.probes.0.result|layout.details.capabilities.0.name|"
     "layout.details.capabilities.0.text", "''", "", "a part of \"details\" has no name"},

    {"place.state", "2", "3", "\"state\" of a place is none"},
    {"place.function|wrapper.function", "''", "", "a place in MPI has no function"},
    {"outside.through", NULL, "'libw.so'", "a place in MPI has no function"},
    {"place.chain", "[<4*'a'>]|", "[<5*'a'>]|{}", "\"chain\" of a place is no list of at most 4 texts"},
    {"place.chain.0", "'<16384*x>'", "'<16385*x>'", "is longer than 16384 bytes"},
    {"frame.text", "'<512*x>'", "'<513*x>'", "\"text\" of a frame is longer than 512 bytes"},
    {"frame.text", "''", "", "\"text\" of a frame is no string"},
    {"frame.text", "{'bytes':'<512*ff>'}|{'bytes':'ff01'}", "{'bytes':'<513*ff>'}|{'bytes':'ff0'}",
     "\"text\" of a frame is too long, or has half a byte"},
    {"frame.text", "{'bytes':'0110'}|{'bytes':'af'}|{'bytes':'fa'}", "{'bytes':'0100'}|{'bytes':'ag'}|{'bytes':'Fa'}",
     "\"text\" of a frame has bytes that are none"},
    {"stack.frames", "[<256*0>]|[]", "[<257*0>]|", "\"frames\" is no list of at most 256 frames"},
    {"stack.frames.0", "0", "1", "\"frames\" names a frame that did not come before"},
    {"stack.frames.0", NULL, "-1", "is no number without sign"},

    {"communicator.name", "'<64*x>'", "'<65*x>'", "\"name\" of communicator is longer than 64 bytes"},
    {"communicator.group", "1|", "2|'0'", "\"group\" names nothing that came before"},
    {"communicator.size", NULL, "1", "\"size\" is 1, its group has 2 members"},
    {"communicator.peers", "1|", "2|{}", "\"peers\" names nothing that came before"},
    {"communicator.summary.remote_size", "0", "3", "a communicator of 3 peers has 2"},
    {"communicator.summary.remote_size", "2", "1", "a communicator of 1 peers has 2"},
    {"communicator.use.owner", "7", "'7'", "\"owner\" of use is no integer"},
    {"communicator.traffic", "", "{}", "a list of traffic is none"},
    {"communicator.traffic.1", "[1,1,1]", "{}|7", "an element of a list of traffic is no array"},
    {"communicator.traffic.0.0", "0", "-1", "\"peer\" of traffic is not between 0 and 16000000"},
    {"communicator.traffic.1.0", "16000000", "16000001", "\"peer\" of traffic is not between 0 and 16000000"},
    {"communicator.traffic.0.1", "0|65535", "65536", "\"sent\" of traffic is larger than 65535"},
    {"communicator.traffic.0.1", "0", "-1", "\"sent\" of traffic is no number without sign"},
    {"communicator.traffic.0.2", "0|65535", "65536", "\"arrived\" of traffic is larger than 65535"},
    {"communicator.traffic.1.0", "1", "0", "\"traffic\" is not in order"},
    {"communicator.queues", NULL, "[{},{}]|[{},{},{},{}]", "\"queues\" has not 3 elements"},
    {"communicator.queues.2.available", "false", "0", "\"available\" of queue is neither true nor false"},
    {"plainer.queue", "1", "2", "operations contradict what was said of their queue"},
    {"plainer.queue", NULL, "3", "\"queue\" of operations is larger than 2"},
    {"more.described", "true", "false", "operations contradict what was said of their queue"},
    {"plainer.described", "false", "true", "operations contradict what was said of their queue"},
    {"plainer.operations", "[<1024*{}>]|[{}]", "[<1025*{}>]|[]", "it has not 1 to 1024 operations"},
    {"plainer.operations", "[{},{}]", "[{},0]", "an operation is no object"},
    {"described.operations.0.extra_text", "[<5*'x'>]", "[<6*'x'>]", "\"extra_text\" has more than 5 lines"},
    {"described.operations.0.extra_text", "", "'x'", "\"extra_text\" is no list"},
    {"described.operations.0.extra_text.0", "'<64*x>'", "'<65*x>'", "a line of \"extra_text\" is longer than 64 bytes"},
    {"described.operations.0.kind", "1", "'1'", "\"kind\" of facts is no integer"},
    {"described.operations.0.named", "true", "0", "\"named\" of extra is neither true nor false"},
    {"described.operations.0.peer|described.operations.0.found_at", "{'job':1}", "{'job':-1}",
     "\"job\" of process_name is no number without sign"},
    {"described.operations.0.unknown", "{'tag':1}", "{'tag':true}", "\"tag\" of unknown is no integer"},
    {"runs.n", NULL, "0|1025|-1", "it has not 1 to 1024 operations"},
    {"runs.n", NULL, "5", "\"tag_wild\" of operation has 4 values in place of 5"},
    {"runs.columns", "{}", "[]", "\"columns\" is no object"},
    {"runs.columns.desired_tag", "[[1,1],[2,3]]", "{}", "\"desired_tag\" of operation is no list"},
    {"runs.columns.desired_tag", "[[-1,3,1],[7,1]]|[[1,4,0]]",
     "[[1,3],[7,2]]|[[1,5]]|[[1,0],[1,4]]|[[1,'4']]|[[1]]|[[1,4,1,1]]|[[1,4,'1']]|[7]",
     "\"desired_tag\" of operation has a run that is none"},
    {"runs.columns.desired_tag", NULL, "[[1,1],[2,2]]", "\"desired_tag\" of operation has 3 values in place of 4"},
    {"runs.columns.desired_tag", NULL, "[['1',4]]", "\"desired_tag\" of operation is no integer"},
    {"runs.columns.tag_wild", "[[2147483644,4,1]]|[[-2147483645,4,-1]]", "[[2147483645,4,1]]|[[-2147483646,4,-1]]",
     "\"tag_wild\" of operation grows beyond its limits"},
    {"runs.columns.buffer", "[['0xfffffffffffffffc',4,1]]|[['0x3',4,-1]]", "[['0xfffffffffffffffd',4,1]]|[['0x2',4,-1]]",
     "\"buffer\" of operation grows beyond its limits"},
    {"runs.columns.buffer", "[[9007199254740991,1],[0,3,9007199254740992]]", "[[0,4,9007199254740993]]",
     "\"buffer\" of operation has a run that is none"},
    {"runs.columns.named", "[[false,4]]", "[[false,4,1]]", "\"named\" of extra has a step that is none"},
    {"runs.columns.extra_text", "{'1':[['x 0xfe',4,1]]}|{'1':[['0xf',4,1]]}|{'1':[['0xfffffffffffffff0',4,1]]}",
     "{'1':[['x 0xfe ',4,1]]}|{'1':[['0x0f',4,1]]}|{'1':[['x0f',4,1]]}|{'1':[['xx1',4,1]]}|{'1':[['0y1',4,1]]}|"
     "{'1':[['f',4,1]]}|{'1':[['0x',4,1]]}|{'1':[['0x10000000000000000',4,1]]}",
     "\"1\" of extra_text has a step that is none"},
    {"runs.columns.extra_text", "{'1':[['<60*x>0xf',4,-1]]}", "{'1':[['<61*x>0xd',4,1]]}",
     "\"1\" of extra_text grows beyond its limits"},
    {"runs.columns.datatype", "[['x0x0',4,1]]", "[['x0x0',4,-1]]", "\"datatype\" of facts grows beyond its limits"},
    {"window.group", "1", "2", "\"group\" names nothing that came before"},
    {"window.group", NULL, "", "a window has no group"},
    {"window.size", "2", "3", "\"size\" is 3, its group has 2 members"},
    {"window.size", NULL, "-1|16000001", "\"size\" of window is not between 0 and 16000000"},
    {"window.description", "{'access':1}", "{'access':'1'}", "\"access\" of window_description is no integer"},
    {"window.peers", "", "{}", "a list of window_peer is none"},
    {"communicator.arrangement.dimensions", "[]|[{},{}]", "7", "a list of dimension is none"},
    {"communicator.arrangement.dimensions.0.size", "0|16000000", "-1|16000001",
     "\"size\" of dimension is not between 0 and 16000000"},
    {"communicator.arrangement.dimensions.0.coordinate", "0|16000000", "-1|16000001",
     "\"coordinate\" of dimension is not between 0 and 16000000"},
    {"window.peers.1.rank", "1", "2", "\"peers\" of a window has a rank that it has not"},
    {"window.peers.1.rank", "0", "-1|16000001", "\"rank\" of window_peer is not between 0 and 16000000"},

    {"answer.question", "''", "", "an answer is to no question"},
    {"answer.line", "'answer'", NULL, NULL},
    {"handle.summary", "{'fortran':3}", "{'predefined':true}", "\"predefined\" of handle_summary is no integer"},
    {"handle.n", NULL, "20001", "\"n\" of a handle is larger than 20000"},
    {"handle.n", NULL, "5", "\"number\" of handle_item has 4 values in place of 5"},
    {"handle.columns", "{}", "[]", "\"columns\" of a handle is no object, or has nothing"},
    {"handle.n", NULL, "0", "\"columns\" of a handle is no object, or has nothing"},
    {"handle.columns", "{'fact':[[5,4]],'form':[[2,4]]}", "{'fact':[[5,4]],'form':[[1,4]]}",
     "fact 5 of a handle cannot have form 1"},
    {"handle.columns", "{'fact':[[1,4]],'form':[[1,4]]}", "{'fact':[[1,4]],'form':[[1,3],[0,1]]}",
     "fact 1 of a handle cannot have form 0"},
    {"handle.columns.number", "[[-1,4]]", "[['1',4]]", "\"number\" of handle_item is no integer"},

    {"rank.layout", "0", "1|", "\"layout\" names nothing that came before"},
    {"rank.look", "1", "2", "\"look\" names nothing that came before"},
    {"rank.has_communicators", "true", "false", "it has communicators that it has not"},
    {"rank.job", "''", "7", "\"job\" of listing is no string"},
    {"rank.error", "'<16384*x>'", "'<16385*x>'", "\"error\" of listing is longer than 16384 bytes"},
    {"rank.stopped", "true", "1", "\"stopped\" of witness is neither true nor false"},
    {"rank.dll_seconds", "1", "'1'", "\"dll_seconds\" of listing is no number"},
    {"rank.dll_seconds", "1e12|-1e12", "1000000000001|-1000000000001",
     "\"dll_seconds\" of listing is not between -1000000000000 and 1000000000000"},
    {"rank.missing.job|rank.missing.fate", "''", "", "\"missing\" has no job, or no fate"},
    {"rank.calls.threads", NULL, "[]", "\"calls\" has no threads"},
    {"rank.calls.complete", "true", "1", "\"complete\" of calls is neither true nor false"},
    {"rank.calls.threads.0.place", "2", "3", "\"place\" names nothing that came before"},
    {"rank.calls.threads.0.mark", "'0xffffffffffffffff'|'0xf'", "-1|'0xF'",
     "\"mark\" of call is no number without sign"},
    {"rank.calls.libraries", "{'n_at_lock':1}", "{'n_at_lock':-1}",
     "\"n_at_lock\" of library_calls is no number without sign"},
    {"rank.calls.stacks", "[<32768*{'stack':0}>]", "[<32769*{'stack':0}>]", "it has more than 32768 stacks"},
    {"rank.calls.stacks.0.stack", "0", "1", "\"stack\" names nothing that came before"},
    {"rank.openmp.threads.0.team", "0|-1", "1", "\"openmp\" names a team or a runtime that is not there"},
    {"rank.openmp.threads.0.runtime", "0|-1", "1", "\"openmp\" names a team or a runtime that is not there"},
    {"rank.openmp.teams.0.runtime", "0", "1", "\"openmp\" names a team or a runtime that is not there"},
    {"rank.openmp.teams.0.parent", "0|-1", "1", "\"openmp\" names a team or a runtime that is not there"},
    {"rank.openmp.runtimes.0.name", "''", "", "an OpenMP runtime has no name"},
    {"rank.activity.thread", "1", "0", "\"activity\" is of no thread"},
    {"rank.activity.thread", "2147483647", "2147483648", "\"thread\" of activity is not between 0 and 2147483647"},
    {"rank.activity.state", "'S'", "'SS'", "\"state\" of activity is longer than 1 bytes"},
    {"warning.text", "'<16384*x>'", "'<16385*x>'", "\"text\" of a warning is longer than 16384 bytes"},
    {"end.ranks", "'0x1'", "2", "lines are missing: it ends after 25 lines and 1 ranks, not 25 and 2"},
    {"end.lines", "'0x19'", "21", "lines are missing: it ends after 25 lines and 1 ranks, not 21 and 1"},
    {"end.ranks|end.lines", NULL, "", "is no number without sign"},
    {"end.reads", "'0xffffffffffffffff'", "-1", "\"reads\" of statistics is no number without sign"},
    /* What newer programs may add is ignored. */
    {"header.novelty", "[1,{}]", NULL, NULL},
    {"window.line", "'novelty'", NULL, NULL},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* Numbers with sign: the first and the last one that are accepted. */
static const struct range {
    const char *path, *table;
    int64_t least, most;
} ranges[] = {
    {"rank.pid", "listing", 0, INT32_MAX},
    {"rank.signal", "listing", 0, INT32_MAX},
    {"rank.rank", "listing", -1, 16000000},
    {"rank.user", "listing", -1, UINT32_MAX},
    {"rank.copy_of", "listing", 0, INT32_MAX},
    {"rank.thread_level", "listing", INT32_MIN, INT32_MAX},
    {"rank.name.rank", "process_name", -16, 16000000},
    {"rank.missing.rank", "missing_rank", -1, 16000000},
    {"rank.missing.pid", "missing_rank", 0, INT32_MAX},
    {"rank.missing.signal", "missing_rank", 0, INT32_MAX},
    {"rank.activity.tracer", "activity", 0, INT32_MAX},
    {"rank.activity.call", "activity", -1, INT32_MAX},
    {"rank.calls.initialiser", "calls", 0, INT32_MAX},
    {"rank.calls.threads.0.thread", "call", 0, INT32_MAX},
    {"rank.calls.stacks.0.thread", "named_stack", 0, INT32_MAX},
    {"rank.openmp.teams.0.size", "openmp_team", 0, INT32_MAX},
    {"rank.openmp.teams.0.level", "openmp_team", 0, INT32_MAX},
    {"rank.openmp.teams.0.parent_number", "openmp_team", -1, INT32_MAX},
    {"rank.openmp.teams.0.awaited", "openmp_team", -1, INT32_MAX},
    {"rank.openmp.threads.0.thread", "openmp_thread", 0, INT32_MAX},
    {"rank.openmp.threads.0.number", "openmp_thread", -1, INT32_MAX},
    {"rank.openmp.threads.0.holder", "openmp_thread", 0, INT32_MAX},
    {"rank.openmp.threads.0.creator", "openmp_thread", 0, INT32_MAX},
    {"rank.openmp.threads.0.children", "openmp_thread", -1, INT32_MAX},
    {"alone.size", "communicator", 0, 16000000},
    {"alone.summary.remote_size", "summary", 0, 16000000},
    {"communicator.local_rank", "communicator", -(1L << 53), 1L << 53},
    {"window.local_rank", "window", -16, 16000000},
    {"handle.position", "handle", -1, 4095},
    {"handle.summary.fortran", "handle_summary", -1, INT32_MAX},
    {"described.operations.0.desired_local_rank", "operation", -(1L << 53), 1L << 53},
    {"described.operations.0.desired_global_rank", "operation", -(1L << 53), 1L << 53},
    {"described.operations.0.desired_length", "operation", -(1L << 53), 1L << 53},
    {"described.operations.0.actual_local_rank", "operation", -(1L << 53), 1L << 53},
    {"described.operations.0.actual_global_rank", "operation", -(1L << 53), 1L << 53},
    {"described.operations.0.actual_length", "operation", -(1L << 53), 1L << 53},
};
enum { N_RANGES = sizeof ranges / sizeof *ranges };

/* NULL: it is accepted. */
static void check(const char *path, const char *value, const char *message)
{
    size_t number;
    char *text = of_test(text_with(path, value, &number));
    char *expected = message != NULL ? test_text("line %zu: %s", number, message) : "";
    struct record record;

    record_take(&record, text, strlen(text), 1000);
    if (strcmp(record.problem != NULL ? record.problem : "", expected) != 0)
        fail_msg("%s = %.80s: '%s' and not '%s'", path, value != NULL ? value : "(as it is)",
                 record.problem != NULL ? record.problem : "", expected);
    assert_true(record.complete == (message == NULL));
    record_clear(&record);
}

static void check_each(const char *path, const char *values, const char *message)
{
    char *rest = values != NULL ? test_text("%s", values) : NULL;

    do
        check(path, strsep(&rest, "|"), message);
    while (rest != NULL);
}

TEST(each_value_is_checked)
{
    for (size_t i = 0; i < N_ROWS; i++)
        for (char *rest = test_text("%s", rows[i].path), *path; (path = strsep(&rest, "|")) != NULL;) {
            check_each(path, rows[i].inside, NULL);
            if (rows[i].message != NULL)
                check_each(path, rows[i].outside, rows[i].message);
        }
}

static char *message_of(const struct range *range)
{
    return format_text("\"%s\" of %s is not between %lld and %lld", strrchr(range->path, '.') + 1, range->table,
                       (long long)range->least, (long long)range->most);
}

static void check_number(const char *path, int64_t number, const char *message)
{
    check(path, test_text("%lld", (long long)number), message);
}

TEST(each_range_is_checked)
{
    for (size_t i = 0; i < N_RANGES; i++) {
        char *message = of_test(message_of(&ranges[i]));

        check_number(ranges[i].path, ranges[i].least, NULL);
        check_number(ranges[i].path, ranges[i].most, NULL);
        check_number(ranges[i].path, ranges[i].least - 1, message);
        check_number(ranges[i].path, ranges[i].most + 1, message);
    }
}

/* Where 0 has a meaning, what is not there is something else. */
TEST(absent_numbers_are_unknown)
{
    size_t number;
    char *text = of_test(text_with("rank", NULL, &number));
    struct record record;
    const struct listing *listing;

    record_take(&record, text, strlen(text), 1000);
    listing = record.ranks[0]->witness.listing;
    assert_int_equal(listing->rank, -1);
    assert_int_equal(listing->user, -1);
    assert_int_equal(listing->activity->call, NO_SYSTEM_CALL);
    assert_int_equal(listing->communicators[1].queues[0].operations[0].sequence, -1);
    record_clear(&record);
}

/* Whole texts. The words of jansson differ between its releases: messages begin so. */

#define LIKE "{'line':'look','like':1}\n"

static const struct {
    const char *text, *message;
} texts[] = {
    {"", "line 1: it is no record of mqdump: it is empty, or has no line"},
    {"\n", "line 1: it is no record of mqdump: "},
    {"hello\n", "line 1: it is no record of mqdump: "},
    {"{}\n", "line 1: it is no record of mqdump"},
    {"\x7f" "ELF\n", "line 1: it is no record of mqdump: "},
    {"{'line':'header','record':'ompi-mqd','format':4}\n",
     "line 1: its format is 4, of mqdump of unknown version: this mqdump reads formats up to 3"},
    {HEADER "\n", "line 2: the end is missing; 0 of 1 processes are there"},
    {HEADER "\n{'line':'end','ranks':0,'lines':2}\n", ""},
    {HEADER "\n{'line':'end','ranks':0,'lines':2}", "line 2: the end is missing; 0 of 1 processes are there"},
    {HEADER "\n{'line':'end','ranks':0,'lines':2}\nx", "line 3: the end is missing; 0 of 1 processes are there"},
    {HEADER "\n{'line':'end','ranks':0,'lines':2}\n{}\n", "line 3: it comes after the end"},
    {HEADER "\n{'line':'operations'}\n", "line 2: operations come before their communicator"},
    {HEADER "\n{'line':'handle'}\n", "line 2: a handle comes before its answer"},
    {HEADER "\n{'line':'rank','layout':0}\n", "line 2: \"layout\" names nothing that came before"},
    {HEADER "\n" LAYOUT COMMUNICATOR "{'line':'rank','layout':0}\n", "line 4: it has communicators that it has not"},
    {HEADER "\n{'line':'x','line':'x'}\n", "line 2: duplicate object key"},
    {HEADER "\n{'line':'\\u0000'}\n", "line 2: \\u0000"},
    {HEADER "\n{'line':'\xff'}\n", "line 2: unable to decode byte 0xff"},
    {HEADER "\n{'line':'x','number':1e999}\n", "line 2: real number overflow"},
    {HEADER "\n{'line':'x','number':99999999999999999999}\n", "line 2: too big integer"},
    {HEADER "\n<100000*[>\n", "line 2: maximum parsing depth reached"},
    {HEADER "\n<1048575*                >    {'line':'x'}\n", "line 3: the end is missing"},
    {HEADER "\n<1048575*                >     {'line':'x'}\n", "line 2: it is longer than 16777216 bytes"},
    {HEADER "\n{'line':'look','problem':'?','x':'<130000*x>'}\n<1000*" LIKE ">", ": it stands for too much that other "
     "lines have said"},
    {HEADER "\n{'line':'look','problem':'?','x':'<130000*x>'}\n<500*" LIKE ">", "line 503: the end is missing"},
};
enum { N_TEXTS = sizeof texts / sizeof *texts };

TEST(each_text_is_checked)
{
    for (size_t i = 0; i < N_TEXTS; i++) {
        char *text = of_test(expand(texts[i].text));
        struct record record;

        record_take(&record, text, strlen(text), 100000);
        if (record.complete != (*texts[i].message == '\0'))
            fail_msg("%.200s: '%s'", texts[i].text, record.problem);
        if (!record.complete && strstr(record.problem, texts[i].message) == NULL)
            fail_msg("%.200s: '%s' and not '%s'", texts[i].text, record.problem, texts[i].message);
        record_clear(&record);
    }
}

/* Lines that are like others: what a line refers to, after so many lines, and what it says of the list [1,[[5]],0,...]. */

static const struct {
    int n_before;
    const char *good, *bad;
} references[] = {
    {0, NULL, "1"},
    {1, "1", "2|0|-1|9223372036854775807|-9223372036854775808|1.0|'1'|null|[1]|true"},
    {2, "2", NULL}, {16, NULL, "17"}, {17, "16", "17"},
};
static const char names_none[] = "\"like\" names none of the last 16 lines of its kind";

static const char differences[] = "{'0':7}|{'1':7}|{'10':7}|{'1':{'0':{'0':7}}}";
static const char no_differences[] =
    "{'11':1}|{'-1':1}|{'00':1}|{'01':1}|{'':1}|{'x':1}|{'0x0':1}|{'4294967296':1}|{'1 ':1}|{'18446744073709551616':1}|"
    "{'1':{'0':{'1':7}}}|{'a':1}";
static const char has_not[] = "it has differences to what the line that it is like has not";

static void check_like(const char *lines, const char *message)
{
    char *text = of_test(expand(test_text(HEADER "\n%s", lines)));
    struct record record;

    record_take(&record, text, strlen(text), 1000);
    assert_has(record.problem, message);
    record_clear(&record);
}

static void check_references(int n_before, const char *references, const char *message)
{
    for (char *rest = test_text("%s", references), *reference; (reference = strsep(&rest, "|")) != NULL;)
        check_like(test_text("<%d*{'line':'look','problem':'?'}\n>{'line':'look','like':%s}\n", n_before, reference),
                   message);
}

static void check_differences(const char *differences, const char *message)
{
    for (char *rest = test_text("%s", differences), *difference; (difference = strsep(&rest, "|")) != NULL;)
        check_like(test_text("{'line':'look','problem':'?','x':[1,[[5]],0,0,0,0,0,0,0,0,0]}\n"
                             "{'line':'look','like':1,'x':%s}\n", difference), message);
}

TEST(lines_are_like_what_came_before)
{
    for (size_t i = 0; i < N_OF(references); i++) {
        if (references[i].good != NULL)
            check_references(references[i].n_before, references[i].good, "the end is missing");
        if (references[i].bad != NULL)
            check_references(references[i].n_before, references[i].bad, names_none);
    }
    check_differences(differences, "the end is missing");
    check_differences(no_differences, has_not);
}

/* Counts of a whole record. The reader is told that it has read so many: to read them takes long. */

struct reading {
    struct record_pool pool;
    struct record record;
    struct record_reader reader;
};

static void start_reading(struct reading *reading)
{
    reading->record = (struct record){0};
    record_reader_start(&reading->reader, &reading->record, "test", &reading->pool);
    assert_true(record_reader_take(&reading->reader, HEADER "\n", sizeof HEADER));
}

static void end_reading(struct reading *reading, const char *message)
{
    if (strcmp(reading->record.problem != NULL ? reading->record.problem : "", message) != 0)
        fail_msg("'%s' and not '%s'", reading->record.problem, message);
    record_reader_finish(&reading->reader);
    record_clear(&reading->record);
}

static void take(struct reading *reading, const char *text)
{
    char *expanded = of_test(expand(text));

    (void)record_reader_take(&reading->reader, expanded, strlen(expanded));
}

static const char too_many_looks[] = "line 3: there are more than 1048576 looks";
static const char too_many_members[] = "line 2: has more than 3 members";

TEST(looks_are_counted)
{
    struct reading reading = {.pool = {.max_memory = 0}};

    start_reading(&reading);
    record_look_clear(&reading.record.looks[0]);
    free(reading.record.looks);
    reading.record.looks = allocate_array(MAX_LOOKS, sizeof *reading.record.looks);
    reading.record.look_room = MAX_LOOKS;
    reading.record.n_looks = MAX_LOOKS - 1;
    take(&reading, "<2*{'line':'look','problem':'?'}\n>");
    assert_int_equal(reading.record.n_looks, MAX_LOOKS);
    end_reading(&reading, too_many_looks);
}

/* Members that the pool has count as well, but need no more memory. */
TEST(members_are_counted)
{
    static const char *const four[] = {"{'line':'group','number':0,'members':[[0,3],[7]]}\n",
                                       "{'line':'peers','number':0,'members':[[7,0,3],[7,7]]}\n"};
    struct reading reading = {.pool = {.max_memory = 0}};

    for (size_t i = 0; i < 2; i++) {
        for (size_t known = 0; known < 2; known++) {
            uint64_t before;

            start_reading(&reading);
            reading.reader.n_members = MAX_MEMBERS - 3;
            take(&reading, four[i]);
            end_reading(&reading, too_many_members);
            before = reading.pool.memory;
            start_reading(&reading);
            reading.reader.n_members = MAX_MEMBERS - 4;
            take(&reading, four[i]);
            assert_int_equal(reading.reader.n_members, MAX_MEMBERS);
            assert_int_equal(reading.pool.memory - before, 2 * (sizeof HEADER - 1 + strlen(four[i]) - 1) +
                                                               (known ? 0 : 4 * (i == 0 ? sizeof(int) : 16)));
            end_reading(&reading, "");
        }
    }
    record_pool_clear(&reading.pool);
}

/* Memory. */

#define OPENMP \
    (sizeof(struct openmp_runtime) + sizeof(struct openmp_team) + 2 * sizeof(struct openmp_thread))
#define TWO_OPERATIONS (sizeof(struct communicator) + 2 * sizeof(struct queued))

/* What a record needs besides twice the bytes of its lines. The pool has what it has read before. */
static const struct {
    const char *text;
    size_t alone, with_pool;
} needs[] = {
    {"", 0, 0},
    {"{'line':'group','number':0,'members':[[0,1000]]}\n", 4000, 0},
    {"{'line':'group','number':0,'members':[[3]]}\n", 4, 4},
    {"{'line':'group','number':0,'members':[[3],[4]]}\n", 8, 0},
    {"{'line':'peers','number':0,'members':[[7,0,1000]]}\n", 16000, 0},
    {"{'line':'stack','number':0,'frames':[]}\n", 0, 0},
    {"{'line':'frame','number':0,'text':'main'}\n{'line':'stack','number':0,'frames':[0,0]}\n", 16, 16},
    {COMMUNICATOR, sizeof(struct communicator), sizeof(struct communicator)},
    {COMMUNICATOR "{'line':'operations','queue':0,'operations':[{},{}]}\n", TWO_OPERATIONS, TWO_OPERATIONS},
    {LAYOUT "{'line':'rank','layout':0}\n", sizeof(struct record_rank), sizeof(struct record_rank)},
    {LAYOUT "{'line':'place','number':0}\n{'line':'stack','number':0,'frames':[]}\n"
     "{'line':'rank','layout':0,'calls':{'threads':[{'place':0}],'stacks':[{'stack':0},{'stack':0}]}}\n",
     sizeof(struct record_rank) + 2 * sizeof(struct named_stack),
     sizeof(struct record_rank) + 2 * sizeof(struct named_stack)},
    {LAYOUT "{'line':'rank','layout':0,'openmp':{'runtimes':[{'file':'a','name':'b'}],'teams':[{}],"
     "'threads':[{},{}]}}\n",
     sizeof(struct record_rank) + OPENMP, sizeof(struct record_rank) + OPENMP},
};

static uint64_t bytes_of_lines(const char *text)
{
    char *expanded = of_test(expand(text));
    uint64_t n = 0;

    for (const char *at = expanded; *at != '\0'; at++)
        n += *at != '\n';
    return n + sizeof HEADER - 1;
}

TEST(what_a_record_needs_is_counted)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        struct reading reading = {.pool = {.max_memory = 0}};
        uint64_t lines_need = 2 * bytes_of_lines(needs[i].text);

        for (uint64_t again = 0; again < 2; again++) {
            start_reading(&reading);
            take(&reading, needs[i].text);
            assert_int_equal(reading.reader.memory, lines_need + needs[i].alone);
            assert_int_equal(reading.pool.memory,
                             (again + 1) * lines_need + needs[i].alone + again * needs[i].with_pool);
            end_reading(&reading, "");
        }
        record_pool_clear(&reading.pool);
    }
}

static const char too_large[] = "line 2: it needs more memory than it may (--limit memory=SIZE)";
static const char too_large_together[] =
    "line 2: all that was read needs more than half of the memory that this machine has";

/* Also one that says much in few bytes. What is just enough is enough. */
TEST(memory_is_limited)
{
    static const char line[] = "{'line':'group','number':0,'members':[[0,1000000]]}\n";
    uint64_t need = 2 * bytes_of_lines(line) + 4000000;

    for (uint64_t i = 0; i < 4; i++) {
        struct reading reading = {.pool = {.max_memory = i < 2 ? 0 : need - i % 2}};

        start_reading(&reading);
        reading.reader.max_memory = i < 2 ? need - i % 2 : 0;
        take(&reading, line);
        end_reading(&reading, i % 2 == 0 ? "" : i < 2 ? too_large : too_large_together);
        record_pool_clear(&reading.pool);
    }
}

/* Files. */

static const char no_file[] = "cannot be read: No such file or directory";
static const char no_text[] = "cannot be read: Is a directory";

TEST(files_that_cannot_be_read)
{
    for (int i = 0; i < 2; i++) {
        struct record record = {0};

        assert_false(record_read_file(&record, i == 0 ? "/nowhere" : "/", NULL));
        assert_string_equal(record.name, i == 0 ? "/nowhere" : "/");
        assert_string_equal(record.problem, i == 0 ? no_file : no_text);
        assert_false(record.complete);
        record_clear(&record);
    }
}
