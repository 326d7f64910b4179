/*
 * test_dump_openmp.c - what is read of the memory of OpenMP runtimes: made memory, by each table that there is.
 *
 * Four threads are in a team. What a test puts into memory lies where the table's steps say, which the reader adds up
 * by its own paths.
 */
#define TEST_FIXTURE struct fixture
#include "mqd/dump/collect/openmp/gomp.h"
#include "mqd/dump/collect/openmp/kmp.h"
#include "mqd/dump/collect/openmp/posix.h"
#include "mqd/dump/show/text/stack_text.h"

enum { N_THREADS = 4, MEMORY = 128 * 1024, PAGE = 4096 };

/* Where things lie. */
enum {
    BASE = 0x10000000, THREADS = BASE, POOL = BASE + 0x6000, POOL_THREADS = BASE + 0x6800, RELEASES = BASE + 0x7000,
    TEAM = BASE + 0x8000, OUTER = BASE + 0xa000, TASK = BASE + 0xc000, GROUP = BASE + 0xd000, LOCK = BASE + 0xe000,
    VARIABLE = BASE + 0xf000, ARRAY = BASE + 0xf100, IDENT = BASE + 0xf800, TEXT = BASE + 0xf900, FLAG = BASE + 0xfa00,
    ROOT = BASE + 0xfb00, INFOS = BASE + 0x10000, IMPLICIT = BASE + 0x16000, STACK = BASE + 0x18000
};

struct fixture {
    unsigned char bytes[MEMORY];
    uint64_t hole;                 /* a page that cannot be read; 0: none */
    size_t n_reads;
    const struct mqd_table *table;
    struct mqd_layout layout;
    struct runtime_memory memory;
    struct runtime_thread threads[N_THREADS];
    uint64_t variables[1];
    struct runtime runtime;
    struct openmp openmp;
};

static void clear(struct fixture *fixture);
#define TEST_TEARDOWN clear(fixture)
#include "unit_test.h"

static bool read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
    struct fixture *fixture = context;

    fixture->n_reads++;
    if (address < BASE || address - BASE > MEMORY - size || (fixture->hole != 0 && address == fixture->hole))
        return false;
    memcpy(buffer, fixture->bytes + (address - BASE), size);
    return true;
}

static void put(struct fixture *fixture, uint64_t address, uint64_t value, size_t size)
{
    assert_true(address >= BASE && address - BASE + size <= MEMORY);
    memcpy(fixture->bytes + (address - BASE), &value, size);
}

static uint64_t offset_of(const struct fixture *fixture, enum mqd_step_id step)
{
    enum mqd_type_id type = mqd_step_specs[step].type;

    return fixture->table->types[type]->fields[step - mqd_type_specs[type].first_step].offset;
}

static uint64_t constant(const struct fixture *fixture, enum mqd_constant_id id)
{
    return (uint64_t)fixture->table->constants[id].value;
}

#define AT(type, member) offset_of(fixture, MQD_STEP_##type##__##member)
#define SIZE(type) fixture->table->types[MQD_TYPE_##type]->size
#define PUT8(address, value) put(fixture, address, value, 8)
#define PUT4(address, value) put(fixture, address, value, 4)

/* libgomp. */

enum { DISTANCE = 0x100 };

static uint64_t thread_pointer(size_t i)
{
    return THREADS + i * PAGE + 0x800;
}

static uint64_t own(size_t i)
{
    return thread_pointer(i) - DISTANCE;
}

static void set_runtime(struct fixture *fixture, const struct mqd_table *table)
{
    memset(fixture->bytes, 0, MEMORY);
    runtime_memory_clear(&fixture->memory);
    fixture->table = table;
    fixture->memory = (struct runtime_memory){.read = read_memory, .context = fixture};
    mqd_assume(table, &fixture->layout);
    for (size_t i = 0; i < N_THREADS; i++)
        fixture->threads[i] = (struct runtime_thread){.id = (pid_t)(100 + i), .pointer = thread_pointer(i)};
    fixture->runtime = (struct runtime){
        .memory = &fixture->memory, .threads = fixture->threads, .n_threads = N_THREADS, .has_all_threads = true,
        .layout = &fixture->layout};
}

static void make_gomp(struct fixture *fixture, const struct mqd_table *table)
{
    set_runtime(fixture, table);
    fixture->runtime.entry = -(uint64_t)DISTANCE;
    PUT4(TEAM + AT(gomp_team, nthreads), N_THREADS);
    PUT4(TEAM + AT(gomp_team, barrier) + AT(gomp_barrier_t, total), N_THREADS);
    PUT4(TEAM + AT(gomp_team, barrier) + AT(gomp_barrier_t, awaited), N_THREADS);
    PUT4(TEAM + AT(gomp_team, barrier) + AT(gomp_barrier_t, awaited_final), N_THREADS);
    PUT8(POOL + AT(gomp_thread_pool, threads), POOL_THREADS);
    PUT4(POOL + AT(gomp_thread_pool, threads_used), N_THREADS);
    PUT8(TEAM + AT(gomp_team, ordered_release), RELEASES);
    for (size_t i = 0; i < N_THREADS; i++) {
        uint64_t ts = own(i) + AT(gomp_thread, ts);

        PUT8(ts + AT(gomp_team_state, team), TEAM);
        PUT4(ts + AT(gomp_team_state, team_id), i);
        PUT4(ts + AT(gomp_team_state, level), 1);
        PUT4(ts + AT(gomp_team_state, active_level), 1);
        PUT8(own(i) + AT(gomp_thread, task),
             TEAM + constant(fixture, MQD_CONSTANT_gomp_implicit_task) + i * SIZE(gomp_task));
        PUT8(own(i) + AT(gomp_thread, thread_pool), POOL);
        PUT8(POOL_THREADS + 8 * i, own(i));
        PUT8(RELEASES + 8 * i, i == 0 ? TEAM + AT(gomp_team, master_release) : own(i) + AT(gomp_thread, release));
    }
}

static void clear_facts(struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->openmp.n_teams; i++)
        free(fixture->openmp.teams[i].place);
    for (size_t i = 0; i < fixture->openmp.n_threads; i++)
        free(fixture->openmp.threads[i].place);
    free(fixture->openmp.teams);
    free(fixture->openmp.threads);
    fixture->openmp = (struct openmp){0};
}

static void clear(struct fixture *fixture)
{
    clear_facts(fixture);
    runtime_memory_clear(&fixture->memory);
}

static void read_as(struct fixture *fixture, void (*read)(struct runtime *runtime, struct openmp *openmp))
{
    struct openmp *openmp = &fixture->openmp;

    clear(fixture);
    fixture->n_reads = fixture->runtime.n_held = fixture->runtime.n_broken = 0;
    for (size_t i = 0; i < N_THREADS; i++)
        APPEND(openmp->threads, openmp->n_threads, openmp->thread_room,
               (struct openmp_thread){.thread = fixture->threads[i].id, .runtime = -1, .team = -1, .number = -1,
                                      .children = -1});
    read(&fixture->runtime, openmp);
}

static void wait_for(struct fixture *fixture, size_t i, uint64_t futex)
{
    fixture->threads[i].futex = futex;
    fixture->threads[i].in_runtime = fixture->threads[i].is_innermost = true;
}

/* Each table of a library. */
#define EACH_TABLE(library, make)                                                                                      \
    for (size_t table_ = 0; make(fixture, mqd_##library##_tables[table_ % mqd_n_##library##_tables]),                  \
                table_ < mqd_n_##library##_tables; table_++)

static int state(const struct fixture *fixture, size_t i)
{
    return fixture->openmp.threads[i].state;
}

TEST(gomp_three_wait_at_a_barrier_for_the_fourth)
{
    EACH_TABLE(gomp, make_gomp) {
        uint64_t barrier = TEAM + AT(gomp_team, barrier);

        PUT4(barrier + AT(gomp_barrier_t, awaited), 1);
        for (size_t i = 0; i < 3; i++)
            wait_for(fixture, i, barrier + AT(gomp_barrier_t, generation));
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_true(fixture->runtime.n_held > 40);
        assert_int_equal(fixture->openmp.n_teams, 1);
        assert_int_equal(fixture->openmp.teams[0].size, 4);
        assert_int_equal(fixture->openmp.teams[0].awaited, 1);
        assert_int_equal(fixture->openmp.n_threads, 4);
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(state(fixture, i), i < 3 ? OPENMP_wait_barrier : OPENMP_work_parallel);
            assert_int_equal(fixture->openmp.threads[i].number, i);
        }
    }
}

TEST(gomp_end_of_a_region_is_another_barrier)
{
    EACH_TABLE(gomp, make_gomp) {
        PUT4(TEAM + AT(gomp_team, barrier) + AT(gomp_barrier_t, awaited_final), 3);
        wait_for(fixture, 1, TEAM + AT(gomp_team, barrier) + AT(gomp_barrier_t, generation));
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_wait_barrier_implicit_parallel);
        assert_int_equal(fixture->openmp.teams[0].awaited, 3);
    }
}

static void spin(struct fixture *fixture, size_t i, const uint64_t *registers, size_t n)
{
    fixture->threads[i].registers = registers;
    fixture->threads[i].n_registers = n;
    fixture->threads[i].in_runtime = fixture->threads[i].is_innermost = true;
}

/* One that spins has the address in a register, and counts only in the runtime's code. */
TEST(gomp_spins_with_the_address_in_a_register)
{
    EACH_TABLE(gomp, make_gomp) {
        uint64_t barrier = TEAM + AT(gomp_team, barrier);
        uint64_t step = constant(fixture, MQD_CONSTANT_gomp_bar_increment);
        const uint64_t registers[] = {7, barrier + AT(gomp_barrier_t, generation), step};

        PUT4(barrier + AT(gomp_barrier_t, awaited), 3);
        spin(fixture, 0, registers, 3);
        spin(fixture, 1, registers, 3);
        fixture->threads[1].in_runtime = fixture->threads[1].is_innermost = false;
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 0), OPENMP_wait_barrier);
        assert_int_equal(state(fixture, 1), OPENMP_work_parallel);
    }
}

/* A thread that was let go, and has not left yet, has the address too: the number of its barrier is the last one. */
TEST(gomp_spins_for_the_number_of_its_barrier)
{
    EACH_TABLE(gomp, make_gomp) {
        uint64_t barrier = TEAM + AT(gomp_team, barrier), generation = barrier + AT(gomp_barrier_t, generation);
        uint64_t step = constant(fixture, MQD_CONSTANT_gomp_bar_increment);
        const uint64_t waits[] = {generation, 3 * step, 4 * step}, leaves[] = {generation, 2 * step, 3 * step};
        const uint64_t not_yet[] = {generation, 100 * step}, second[] = {generation, 0, step, 2 * step};

        PUT4(barrier + AT(gomp_barrier_t, awaited), 2);
        PUT4(generation, 3 * step);
        spin(fixture, 0, waits, 3);
        spin(fixture, 1, leaves, 3);
        spin(fixture, 2, not_yet, 2);
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(fixture->openmp.teams[0].awaited, 2);
        assert_int_equal(state(fixture, 0), OPENMP_wait_barrier);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        assert_int_equal(state(fixture, 2), OPENMP_overhead);
        assert_int_equal(state(fixture, 3), OPENMP_work_parallel);
        /* Small numbers are in some register always. */
        PUT4(generation, step);
        spin(fixture, 0, second, 4);
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 0), OPENMP_wait_barrier);
    }
}

/* The last one has come, and has not let the others go yet. */
TEST(gomp_barrier_that_nobody_is_awaited_at_is_over)
{
    EACH_TABLE(gomp, make_gomp) {
        uint64_t barrier = TEAM + AT(gomp_team, barrier);

        PUT4(barrier + AT(gomp_barrier_t, awaited), 0);
        wait_for(fixture, 1, barrier + AT(gomp_barrier_t, generation));
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        assert_int_equal(fixture->openmp.teams[0].awaited, 0);
        PUT4(barrier + AT(gomp_barrier_t, awaited), N_THREADS);
        PUT4(barrier + AT(gomp_barrier_t, awaited_final), 0);
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
    }
}

/* The last one that comes counts anew before the others run: they wait no more. */
TEST(gomp_barrier_that_is_over_is_not_waited_at)
{
    EACH_TABLE(gomp, make_gomp) {
        uint64_t barrier = TEAM + AT(gomp_team, barrier), generation = barrier + AT(gomp_barrier_t, generation);

        wait_for(fixture, 1, generation);
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        /* All have come, but there are tasks. */
        PUT4(generation, constant(fixture, MQD_CONSTANT_gomp_bar_waiting_for_task));
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_wait_barrier);
        /* Thread 2 has come to the next barrier, thread 1 has not run since the one before. */
        PUT4(generation, 24);
        PUT4(barrier + AT(gomp_barrier_t, awaited), 3);
        wait_for(fixture, 2, generation);
        fixture->threads[1].futex_value = 16;
        fixture->threads[2].futex_value = 24;
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        assert_int_equal(state(fixture, 2), OPENMP_wait_barrier);
    }
}

TEST(gomp_barrier_of_another_team_is_no_lock)
{
    EACH_TABLE(gomp, make_gomp) {
        wait_for(fixture, 1, OUTER + AT(gomp_team, barrier) + AT(gomp_barrier_t, generation));
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_wait_mutex);
        PUT8(OUTER + AT(gomp_team, ordered_release), LOCK);
        PUT8(LOCK, OUTER + AT(gomp_team, master_release));
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
    }
}

/* A thread that ends has its last team, which may have been freed. */
TEST(gomp_thread_that_has_left_is_none_of_a_team)
{
    EACH_TABLE(gomp, make_gomp) {
        uint64_t ts = own(3) + AT(gomp_thread, ts);

        PUT4(POOL + AT(gomp_thread_pool, threads_used), 3);
        PUT8(ts + AT(gomp_team_state, team), TASK);
        read_as(fixture, gomp_read);
        assert_int_not_equal(fixture->runtime.n_broken, 0);
        fixture->threads[3].without_runtime = true;
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(fixture->openmp.threads[3].runtime, -1);
        PUT8(own(3) + AT(gomp_thread, thread_pool), 0);
        PUT8(ts + AT(gomp_team_state, team), TEAM);
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->openmp.threads[3].runtime, -1);
    }
}

/* The memory of a team that has ended is that of the next one, which has another thread in its place. */
TEST(gomp_thread_that_ends_has_no_place_in_the_next_team)
{
    EACH_TABLE(gomp, make_gomp) {
        PUT4(POOL + AT(gomp_thread_pool, threads_used), 3);
        PUT8(RELEASES + 8 * 3, TASK);
        read_as(fixture, gomp_read);
        assert_int_not_equal(fixture->runtime.n_broken, 0);
        fixture->threads[3].without_program = fixture->threads[3].in_runtime = true;
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(fixture->openmp.threads[3].runtime, -1);
        /* It was woken to end, and has not left the dock yet. */
        wait_for(fixture, 3, POOL + AT(gomp_thread_pool, threads_dock) + AT(gomp_simple_barrier_t, bar) +
                                 AT(gomp_barrier_t, generation));
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(state(fixture, 3), OPENMP_idle);
    }
}

/* The first thread has set its team, and not yet its task. */
TEST(gomp_thread_that_begins_a_region_has_the_task_of_before)
{
    EACH_TABLE(gomp, make_gomp) {
        PUT8(own(0) + AT(gomp_thread, task), TASK);
        read_as(fixture, gomp_read);
        assert_int_not_equal(fixture->runtime.n_broken, 0);
        fixture->threads[0].in_runtime = fixture->threads[0].is_innermost = true;
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(state(fixture, 0), OPENMP_overhead);
    }
}

/* Where a stack cannot be followed it is not known that the team has begun, and so whether a thread has ended. */
TEST(gomp_thread_without_a_stack_is_not_known_to_work)
{
    EACH_TABLE(gomp, make_gomp) {
        fixture->runtime.n_threads = 1;
        fixture->threads[0].without_program = fixture->threads[0].without_runtime = true;
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 0), OPENMP_unknown);
        assert_int_equal(fixture->openmp.n_threads, 4);
    }
}

TEST(gomp_idle_threads_are_in_no_team)
{
    EACH_TABLE(gomp, make_gomp) {
        PUT8(own(0) + AT(gomp_thread, ts) + AT(gomp_team_state, team), 0);
        PUT4(own(0) + AT(gomp_thread, ts) + AT(gomp_team_state, level), 0);
        wait_for(fixture, 1, POOL + AT(gomp_thread_pool, threads_dock) + AT(gomp_simple_barrier_t, bar) +
                                 AT(gomp_barrier_t, generation));
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 0), OPENMP_work_serial);
        /* The last two do not sleep at the dock: the first thread of the pool shows that their team is over. */
        for (size_t i = 1; i < 4; i++)
            assert_int_equal(state(fixture, i), OPENMP_idle);
        assert_int_equal(fixture->openmp.n_teams, 0);
        assert_int_equal(fixture->runtime.n_broken, 0);
    }
}

/* It was woken for a region, and has not left the dock yet: it has not ended, and is not idle. */
TEST(gomp_woken_threads_are_in_the_team)
{
    EACH_TABLE(gomp, make_gomp) {
        wait_for(fixture, 1, POOL + AT(gomp_thread_pool, threads_dock) + AT(gomp_simple_barrier_t, bar) +
                                 AT(gomp_barrier_t, generation));
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        assert_int_equal(fixture->openmp.threads[1].number, 1);
        assert_int_equal(fixture->openmp.n_threads, 4);
        assert_int_equal(fixture->runtime.n_broken, 0);
    }
}

TEST(gomp_tasks_and_who_created_them)
{
    EACH_TABLE(gomp, make_gomp) {
        uint64_t task_0 = TEAM + constant(fixture, MQD_CONSTANT_gomp_implicit_task), wait = BASE + 0xc800;

        PUT8(task_0 + AT(gomp_task, taskwait), wait);
        put(fixture, wait + AT(gomp_taskwait, in_taskwait), 1, 1);
        wait_for(fixture, 0, wait + AT(gomp_taskwait, taskwait_sem));
        PUT8(own(2) + AT(gomp_thread, task), TASK);
        PUT8(TASK + AT(gomp_task, parent), task_0);
        PUT4(TASK + AT(gomp_task, kind), constant(fixture, MQD_CONSTANT_gomp_kind_tied));
        PUT8(task_0 + SIZE(gomp_task) + AT(gomp_task, taskgroup), GROUP);
        PUT8(GROUP + AT(gomp_taskgroup, num_children), 5);
        put(fixture, GROUP + AT(gomp_taskgroup, in_taskgroup_wait), 1, 1);
        wait_for(fixture, 1, GROUP + AT(gomp_taskgroup, taskgroup_sem));
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(state(fixture, 0), OPENMP_wait_taskwait);
        assert_int_equal(state(fixture, 1), OPENMP_wait_taskgroup);
        assert_int_equal(fixture->openmp.threads[1].children, 5);
        assert_int_equal(state(fixture, 2), OPENMP_work_parallel);
        assert_true(fixture->openmp.threads[2].explicit_task);
        assert_int_equal(fixture->openmp.threads[2].creator, 100);
    }
}

/* Who ends the wait of a thread takes back what says that it waits, and wakes it then. */
TEST(gomp_waits_for_tasks_until_the_last_has_told_so)
{
    EACH_TABLE(gomp, make_gomp) {
        uint64_t task_0 = TEAM + constant(fixture, MQD_CONSTANT_gomp_implicit_task), wait = BASE + 0xc800;

        PUT8(task_0 + AT(gomp_task, taskwait), wait);
        wait_for(fixture, 0, wait + AT(gomp_taskwait, taskwait_sem));
        PUT8(task_0 + SIZE(gomp_task) + AT(gomp_task, taskgroup), GROUP);
        wait_for(fixture, 1, GROUP + AT(gomp_taskgroup, taskgroup_sem));
        read_as(fixture, gomp_read);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(state(fixture, i), OPENMP_overhead);
            assert_int_equal(fixture->openmp.threads[i].object, 0);
        }
        put(fixture, wait + AT(gomp_taskwait, in_depend_wait), 1, 1);
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 0), OPENMP_wait_taskwait);
        assert_int_equal(fixture->openmp.threads[0].object, task_0);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        put(fixture, wait + AT(gomp_taskwait, in_depend_wait), 0, 1);
        put(fixture, GROUP + AT(gomp_taskgroup, in_taskgroup_wait), 1, 1);
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 0), OPENMP_overhead);
        assert_int_equal(state(fixture, 1), OPENMP_wait_taskgroup);
        assert_int_equal(fixture->openmp.threads[1].object, GROUP);
    }
}

/* The thread that has its turn; and nobody while the turn is passed on. */
TEST(gomp_ordered_names_the_thread_that_is_inside)
{
    EACH_TABLE(gomp, make_gomp) {
        for (size_t i = 0; i < 3; i++)
            PUT8(own(i) + AT(gomp_thread, ts) + AT(gomp_team_state, work_share), GROUP);
        PUT4(GROUP + AT(gomp_work_share, ordered_owner), 2);
        wait_for(fixture, 0, TEAM + AT(gomp_team, master_release));
        wait_for(fixture, 1, own(1) + AT(gomp_thread, release));
        read_as(fixture, gomp_read);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(state(fixture, i), OPENMP_wait_ordered);
            assert_int_equal(fixture->openmp.threads[i].holder, 102);
        }
        PUT4(GROUP + AT(gomp_work_share, ordered_owner), UINT32_MAX);
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_wait_ordered);
        assert_int_equal(fixture->openmp.threads[1].holder, 0);
    }
}

/* The holder of a nestable lock, and not that of a word that only looks like one. */
TEST(gomp_nestable_lock_names_its_holder)
{
    EACH_TABLE(gomp, make_gomp) {
        uint64_t task_3 = TEAM + constant(fixture, MQD_CONSTANT_gomp_implicit_task) + 3 * SIZE(gomp_task);

        PUT4(LOCK + AT(omp_nest_lock_t, count), 1);
        PUT8(LOCK + AT(omp_nest_lock_t, owner), task_3 + 8);
        wait_for(fixture, 1, LOCK);
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->openmp.threads[1].holder, 103);
        PUT8(LOCK + AT(omp_nest_lock_t, owner), LOCK);
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->openmp.threads[1].holder, 0);
        assert_int_equal(state(fixture, 1), OPENMP_wait_mutex);
        assert_int_equal(fixture->openmp.threads[1].object, LOCK);
        assert_false(fixture->openmp.threads[1].let_go);
        /* It is free, and the thread has not run since then. */
        fixture->threads[1].futex_value = UINT32_MAX;
        read_as(fixture, gomp_read);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        assert_true(fixture->openmp.threads[1].let_go);
        assert_int_equal(fixture->openmp.threads[1].object, 0);
    }
}

TEST(gomp_ended_thread_of_a_team_is_told)
{
    EACH_TABLE(gomp, make_gomp) {
        fixture->runtime.n_threads = 2;
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->openmp.n_threads, 6);
        for (size_t i = 4; i < 6; i++) {
            assert_int_equal(state(fixture, i), OPENMP_ended);
            assert_int_equal(fixture->openmp.threads[i].number, i - 2);
            assert_int_equal(fixture->openmp.threads[i].thread, 0);
        }
        /* Of threads that may only not have been listed nothing is said. */
        fixture->runtime.has_all_threads = false;
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->openmp.n_threads, 4);
    }
}

/* Each of these alone speaks against the layout. */
TEST(gomp_what_cannot_be_is_a_contradiction)
{
    EACH_TABLE(gomp, make_gomp) {
        uint64_t ts = own(1) + AT(gomp_thread, ts), barrier = TEAM + AT(gomp_team, barrier);
        const struct {
            uint64_t address, value;
            size_t size;
        } wrong[] = {
            {own(1) + AT(gomp_thread, task), 0, 8},
            {own(1) + AT(gomp_thread, task), TASK, 8},
            {own(0) + AT(gomp_thread, ts) + AT(gomp_team_state, team_id), N_THREADS, 4},
            {ts + AT(gomp_team_state, team_id), 0, 4},
            {ts + AT(gomp_team_state, active_level), 2, 4},
            {RELEASES + 8, 0, 8},
            {ts + AT(gomp_team_state, level), 0, 4},
            {ts + AT(gomp_team_state, level), 2, 4},
            {own(0) + AT(gomp_thread, ts) + AT(gomp_team_state, team), BASE + MEMORY, 8},
            {TEAM + AT(gomp_team, nthreads), 1000000000, 4},
            {TEAM + AT(gomp_team, nthreads), 0, 4},
            {barrier + AT(gomp_barrier_t, total), 3, 4},
            {barrier + AT(gomp_barrier_t, awaited), 5, 4},
            {barrier + AT(gomp_barrier_t, awaited_final), 5, 4},
            {own(1) + AT(gomp_thread, thread_pool), BASE - PAGE, 8},
            {POOL + AT(gomp_thread_pool, threads_used), 1000000000, 4},
            {POOL_THREADS, TEXT, 8},
        };

        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            uint64_t before = 0;

            memcpy(&before, fixture->bytes + (wrong[i].address - BASE), wrong[i].size);
            put(fixture, wrong[i].address, wrong[i].value, wrong[i].size);
            read_as(fixture, gomp_read);
            if (fixture->runtime.n_broken == 0)
                fail_msg("the %zuth wrong number was believed", i);
            put(fixture, wrong[i].address, before, wrong[i].size);
        }
        read_as(fixture, gomp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
    }
}

/* A wrong family is contradicted, by memory alone. Those of GCC 8 and 9 differ in taskgroups only. */
TEST(gomp_other_families_do_not_fit)
{
    EACH_TABLE(gomp, make_gomp) {
        for (size_t i = 0; i < mqd_n_gomp_tables; i++) {
            bool same = mqd_gomp_tables[i]->types[MQD_TYPE_gomp_task]->size == SIZE(gomp_task);

            mqd_assume(mqd_gomp_tables[i], &fixture->layout);
            read_as(fixture, gomp_read);
            assert_true((fixture->runtime.n_broken == 0) == same);
        }
    }
}

/* libomp. */

static uint64_t info(size_t i)
{
    return INFOS + i * 0x800;
}

static void make_kmp(struct fixture *fixture, const struct mqd_table *table)
{
    set_runtime(fixture, table);
    fixture->variables[0] = VARIABLE;
    fixture->runtime.variables = fixture->variables;
    fixture->runtime.n_variables = 1;
    PUT8(VARIABLE, ARRAY);
    PUT8(VARIABLE + 8, ARRAY + 8 * 8);
    PUT4(TEAM + AT(kmp_base_team_t, t_nproc), N_THREADS);
    PUT8(TEAM + AT(kmp_base_team_t, t_threads), POOL_THREADS);
    PUT8(TEAM + AT(kmp_base_team_t, t_implicit_task_taskdata), IMPLICIT);
    PUT4(TEAM + AT(kmp_base_team_t, t_level), 1);
    PUT4(TEAM + AT(kmp_base_team_t, t_active_level), 1);
    PUT8(TEAM + AT(kmp_base_team_t, t_parent), OUTER);
    PUT8(TEAM + AT(kmp_base_team_t, t_pkfn), TEXT);
    PUT8(TEAM + AT(kmp_base_team_t, t_ident), IDENT);
    PUT8(ROOT + AT(kmp_base_root_t, r_hot_team), TEAM);
    PUT8(ROOT + AT(kmp_base_root_t, r_root_team), OUTER);
    PUT4(ROOT + AT(kmp_base_root_t, r_active), 1);
    PUT8(IDENT + AT(ident_t, psource), TEXT);
    strcpy((char *)fixture->bytes + (TEXT - BASE), ";./src/solve.c;main;17;3;;");
    for (size_t i = 0; i < N_THREADS; i++) {
        PUT8(ARRAY + 8 * i, info(i));
        PUT8(POOL_THREADS + 8 * i, info(i));
        PUT8(info(i) + AT(kmp_base_info_t, ds_thread), thread_pointer(i));
        PUT4(info(i) + AT(kmp_base_info_t, ds_tid), i);
        PUT4(info(i) + AT(kmp_base_info_t, ds_gtid), i);
        PUT8(info(i) + AT(kmp_base_info_t, th_team), TEAM);
        PUT8(info(i) + AT(kmp_base_info_t, th_root), ROOT);
        PUT8(info(i) + AT(kmp_base_info_t, th_team_master), info(0));
        PUT8(info(i) + AT(kmp_base_info_t, th_current_task), IMPLICIT + i * SIZE(kmp_taskdata));
        PUT8(IMPLICIT + i * SIZE(kmp_taskdata) + AT(kmp_taskdata, td_team), TEAM);
    }
}

static uint64_t arrived_of(const struct fixture *fixture, size_t i, enum mqd_constant_id kind)
{
    return info(i) + AT(kmp_base_info_t, th_bar) + constant(fixture, kind) * SIZE(kmp_balign_t) + AT(kmp_balign_t, bb) +
           AT(kmp_bstate_t, b_arrived);
}

TEST(kmp_two_have_arrived_and_the_first_sleeps_for_the_last)
{
    EACH_TABLE(kmp, make_kmp) {
        uint64_t step = constant(fixture, MQD_CONSTANT_kmp_bar_bump);

        for (size_t i = 1; i < 3; i++)
            PUT8(arrived_of(fixture, i, MQD_CONSTANT_kmp_bar_plain), step);
        /* Flags are below: somebody sleeps until it comes. */
        PUT8(arrived_of(fixture, 3, MQD_CONSTANT_kmp_bar_plain), 1);
        PUT8(info(0) + AT(kmp_base_info_t, th_sleep_loc), FLAG);
        PUT8(info(0) + AT(kmp_base_info_t, th_ident), IDENT);
        PUT8(FLAG + AT(mqd_kmp_flag, loc), arrived_of(fixture, 3, MQD_CONSTANT_kmp_bar_plain));
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(state(fixture, i), i < 3 ? OPENMP_wait_barrier : OPENMP_work_parallel);
        assert_int_equal(fixture->openmp.threads[0].holder, 103);
        assert_string_equal(fixture->openmp.threads[0].place, "solve.c:17");
        assert_string_equal(fixture->openmp.teams[0].place, "solve.c:17");
        assert_int_equal(fixture->openmp.teams[0].awaited, 1);
    }
}

/*
 * All have come. The first one, that the last has not woken yet, does not wait, whatever its own counter has, which is of
 * another team; then it lets the others go.
 */
TEST(kmp_barrier_that_is_over_is_not_waited_at)
{
    EACH_TABLE(kmp, make_kmp) {
        uint64_t step = constant(fixture, MQD_CONSTANT_kmp_bar_bump);
        uint64_t kind = constant(fixture, MQD_CONSTANT_kmp_bar_plain) * SIZE(kmp_balign_team_t);

        for (size_t i = 0; i < N_THREADS; i++)
            fixture->threads[i].in_runtime = true;
        for (size_t i = 1; i < N_THREADS; i++)
            PUT8(arrived_of(fixture, i, MQD_CONSTANT_kmp_bar_plain), step);
        PUT8(info(0) + AT(kmp_base_info_t, th_sleep_loc), FLAG);
        PUT8(FLAG + AT(mqd_kmp_flag, loc), arrived_of(fixture, 3, MQD_CONSTANT_kmp_bar_plain));
        PUT8(arrived_of(fixture, 0, MQD_CONSTANT_kmp_bar_forkjoin), step);
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        for (size_t i = 0; i < N_THREADS; i++)
            assert_int_equal(state(fixture, i), i == 0 ? OPENMP_overhead : OPENMP_wait_barrier);
        assert_int_equal(fixture->openmp.teams[0].awaited, 1);
        PUT8(info(0) + AT(kmp_base_info_t, th_sleep_loc), 0);
        PUT8(TEAM + AT(kmp_base_team_t, t_bar) + kind + AT(kmp_balign_team_t, b_arrived), step);
        read_as(fixture, kmp_read);
        for (size_t i = 0; i < N_THREADS; i++)
            assert_int_equal(state(fixture, i), OPENMP_overhead);
        assert_int_equal(fixture->openmp.teams[0].awaited, -1);
    }
}

/* The address of the counter, and the number that it waits for, which lies behind it at one of two places. */
TEST(kmp_spins_for_what_its_stack_says)
{
    EACH_TABLE(kmp, make_kmp) {
        uint64_t step = constant(fixture, MQD_CONSTANT_kmp_bar_bump), at = STACK + 0x300;
        uint64_t last = arrived_of(fixture, 3, MQD_CONSTANT_kmp_bar_plain);

        for (size_t i = 1; i < 3; i++)
            PUT8(arrived_of(fixture, i, MQD_CONSTANT_kmp_bar_plain), step);
        fixture->threads[0].in_runtime = true;
        fixture->threads[0].stack_pointer = STACK;
        PUT8(at, last);
        for (size_t distance = 8; distance <= 16; distance += 8) {
            PUT8(at + 8, 0);
            PUT8(at + distance, step);
            read_as(fixture, kmp_read);
            assert_int_equal(state(fixture, 0), OPENMP_wait_barrier);
            assert_int_equal(fixture->openmp.threads[0].holder, 103);
            assert_int_equal(fixture->openmp.teams[0].awaited, 1);
        }
        /* One of another barrier, a counter of its own, or one that has what it waits for. */
        PUT8(at + 16, 2 * step);
        read_as(fixture, kmp_read);
        assert_int_equal(state(fixture, 0), OPENMP_overhead);
        PUT8(at + 16, step);
        PUT8(at, arrived_of(fixture, 0, MQD_CONSTANT_kmp_bar_plain));
        read_as(fixture, kmp_read);
        assert_int_equal(state(fixture, 0), OPENMP_overhead);
        PUT8(at, last);
        PUT8(last, step);
        read_as(fixture, kmp_read);
        assert_int_equal(state(fixture, 0), OPENMP_overhead);
        assert_int_equal(fixture->openmp.teams[0].awaited, 1);
    }
}

TEST(kmp_idle_threads_have_the_team_of_the_last_region)
{
    EACH_TABLE(kmp, make_kmp) {
        PUT4(ROOT + AT(kmp_base_root_t, r_active), 0);
        PUT8(info(0) + AT(kmp_base_info_t, th_team), OUTER);
        PUT4(OUTER + AT(kmp_base_team_t, t_nproc), 1);
        PUT8(OUTER + AT(kmp_base_team_t, t_threads), POOL_THREADS);
        PUT8(OUTER + AT(kmp_base_team_t, t_implicit_task_taskdata), IMPLICIT);
        PUT8(info(3) + AT(kmp_base_info_t, th_team), 0);
        PUT4(info(3) + AT(kmp_base_info_t, th_in_pool), 1);
        for (size_t i = 1; i < 4; i++)
            fixture->threads[i].without_program = fixture->threads[i].in_runtime = true;
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(state(fixture, 0), OPENMP_work_serial);
        for (size_t i = 1; i < 4; i++)
            assert_int_equal(state(fixture, i), OPENMP_idle);
        /* It has been taken from its team, and is not in the pool yet. */
        PUT4(info(3) + AT(kmp_base_info_t, th_in_pool), 0);
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(state(fixture, 3), OPENMP_idle);
        fixture->threads[3].without_program = false;
        read_as(fixture, kmp_read);
        assert_int_not_equal(fixture->runtime.n_broken, 0);
    }
}

/* Thread 1 leaves a region that it has begun: number and task are those of the enclosing one, the team is not yet. */
TEST(kmp_thread_goes_from_one_team_to_another)
{
    EACH_TABLE(kmp, make_kmp) {
        PUT8(info(1) + AT(kmp_base_info_t, th_team), OUTER);
        PUT8(info(1) + AT(kmp_base_info_t, th_team_master), info(1));
        PUT4(OUTER + AT(kmp_base_team_t, t_nproc), 2);
        PUT8(OUTER + AT(kmp_base_team_t, t_threads), LOCK);
        PUT8(OUTER + AT(kmp_base_team_t, t_implicit_task_taskdata), TASK);
        PUT8(LOCK, info(1));
        read_as(fixture, kmp_read);
        assert_int_not_equal(fixture->runtime.n_broken, 0);
        fixture->threads[1].in_runtime = true;
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        assert_int_equal(fixture->openmp.threads[1].team, -1);
        /* Its team is the enclosing one again, whose first thread is not yet the one that it has. */
        PUT8(info(1) + AT(kmp_base_info_t, th_team), TEAM);
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        fixture->threads[1].in_runtime = false;
        read_as(fixture, kmp_read);
        assert_int_not_equal(fixture->runtime.n_broken, 0);
        /* Of somebody else's team. */
        fixture->threads[1].in_runtime = true;
        PUT8(info(1) + AT(kmp_base_info_t, th_team_master), info(2));
        read_as(fixture, kmp_read);
        assert_int_not_equal(fixture->runtime.n_broken, 0);
    }
}

/* Thread 2 waits for a region, and has got its team and not its task. */
TEST(kmp_thread_is_given_to_a_team)
{
    EACH_TABLE(kmp, make_kmp) {
        PUT8(info(2) + AT(kmp_base_info_t, th_current_task), 0);
        fixture->threads[2].in_runtime = true;
        read_as(fixture, kmp_read);
        assert_int_not_equal(fixture->runtime.n_broken, 0);
        fixture->threads[2].without_program = true;
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(state(fixture, 2), OPENMP_overhead);
        assert_int_equal(fixture->openmp.threads[2].team, -1);
        /* It has come to the end of the region. */
        PUT8(arrived_of(fixture, 2, MQD_CONSTANT_kmp_bar_forkjoin), constant(fixture, MQD_CONSTANT_kmp_bar_bump));
        read_as(fixture, kmp_read);
        assert_int_not_equal(fixture->runtime.n_broken, 0);
    }
}

TEST(kmp_finds_the_lock_on_the_stack_and_its_holder)
{
    EACH_TABLE(kmp, make_kmp) {
        PUT8(LOCK + AT(kmp_base_queuing_lock_t, initialized), LOCK);
        PUT4(LOCK + AT(kmp_base_queuing_lock_t, head_id), 2);
        PUT4(LOCK + AT(kmp_base_queuing_lock_t, tail_id), 3);
        PUT4(LOCK + AT(kmp_base_queuing_lock_t, owner_id), 4);
        PUT4(info(1) + AT(kmp_base_info_t, th_next_waiting), 3);
        for (size_t i = 1; i < 4; i++) {
            PUT4(info(i) + AT(kmp_base_info_t, th_spin_here), i < 3);
            fixture->threads[i].stack_pointer = STACK + 0x400 * i;
            PUT8(STACK + 0x400 * i + 0x20, LOCK);
        }
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        for (size_t i = 1; i < 3; i++) {
            assert_int_equal(state(fixture, i), OPENMP_wait_lock);
            assert_int_equal(fixture->openmp.threads[i].object, LOCK);
            assert_int_equal(fixture->openmp.threads[i].holder, 103);
        }
        /* A queue that never ends, and in which the thread is not. */
        PUT4(LOCK + AT(kmp_base_queuing_lock_t, head_id), 1);
        PUT4(LOCK + AT(kmp_base_queuing_lock_t, tail_id), 7);
        PUT4(info(0) + AT(kmp_base_info_t, th_next_waiting), 1);
        read_as(fixture, kmp_read);
        assert_int_equal(state(fixture, 1), OPENMP_wait_mutex);
        assert_int_equal(fixture->openmp.threads[1].object, 0);
    }
}

/* One of the kind "futex". Mutexes of its own have even words, and conditions it names. */
TEST(kmp_sleeps_at_a_lock)
{
    enum { WORD = 773 };

    EACH_TABLE(kmp, make_kmp) {
        wait_for(fixture, 1, LOCK);
        fixture->threads[1].futex_value = WORD;
        read_as(fixture, kmp_read);
        assert_int_equal(state(fixture, 1), OPENMP_wait_mutex);
        assert_int_equal(fixture->openmp.threads[1].object, LOCK);
        fixture->threads[1].futex_value = 2;
        read_as(fixture, kmp_read);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        fixture->threads[1].futex_value = WORD;
        PUT8(info(1) + AT(kmp_base_info_t, th_sleep_loc), FLAG);
        PUT8(FLAG + AT(mqd_kmp_flag, loc), FLAG);
        read_as(fixture, kmp_read);
        assert_int_equal(state(fixture, 1), OPENMP_overhead);
        PUT8(info(1) + AT(kmp_base_info_t, th_sleep_loc), 0);
        fixture->threads[1].in_runtime = false;
        read_as(fixture, kmp_read);
        assert_int_equal(state(fixture, 1), OPENMP_work_parallel);
    }
}

TEST(kmp_tasks_and_taskwait)
{
    EACH_TABLE(kmp, make_kmp) {
        PUT4(IMPLICIT + AT(kmp_taskdata, td_taskwait_thread), 1);
        PUT8(IMPLICIT + AT(kmp_taskdata, td_taskwait_ident), IDENT);
        PUT4(IMPLICIT + AT(kmp_taskdata, td_incomplete_child_tasks), 1);
        PUT8(info(2) + AT(kmp_base_info_t, th_current_task), TASK);
        PUT8(TASK + AT(kmp_taskdata, td_team), TEAM);
        PUT8(TASK + AT(kmp_taskdata, td_parent), IMPLICIT);
        PUT8(TASK + AT(kmp_taskdata, td_alloc_thread), info(0));
        PUT4(TASK + AT(kmp_taskdata, td_flags), constant(fixture, MQD_CONSTANT_kmp_task_explicit));
        PUT8(TASK + SIZE(kmp_taskdata) + AT(kmp_task_t, routine), TEXT);
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        assert_int_equal(state(fixture, 0), OPENMP_wait_taskwait);
        assert_int_equal(fixture->openmp.threads[0].children, 1);
        assert_string_equal(fixture->openmp.threads[0].place, "solve.c:17");
        assert_true(fixture->openmp.threads[2].explicit_task);
        assert_int_equal(fixture->openmp.threads[2].creator, 100);
    }
}

TEST(kmp_what_cannot_be_is_a_contradiction)
{
    EACH_TABLE(kmp, make_kmp) {
        const struct {
            uint64_t address, value;
            size_t size;
        } wrong[] = {
            {info(1) + AT(kmp_base_info_t, th_current_task), 0, 8},
            {info(1) + AT(kmp_base_info_t, th_current_task), TASK, 8},
            {info(1) + AT(kmp_base_info_t, th_team), 0, 8},
            {info(1) + AT(kmp_base_info_t, th_team_master), info(1), 8},
            {info(1) + AT(kmp_base_info_t, ds_tid), 2, 4},
            {info(1) + AT(kmp_base_info_t, ds_tid), UINT32_MAX, 4},
            {info(1) + AT(kmp_base_info_t, ds_gtid), 2, 4},
            {TEAM + AT(kmp_base_team_t, t_nproc), 1000000000, 4},
            {TEAM + AT(kmp_base_team_t, t_threads), 0, 8},
            {TEAM + AT(kmp_base_team_t, t_level), 1000000, 4},
            {TEAM + AT(kmp_base_team_t, t_parent), 0, 8},
            {info(1) + AT(kmp_base_info_t, th_sleep_loc), BASE - PAGE, 8},
            {VARIABLE, BASE - PAGE, 8},
        };

        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            uint64_t before = 0;

            memcpy(&before, fixture->bytes + (wrong[i].address - BASE), wrong[i].size);
            put(fixture, wrong[i].address, wrong[i].value, wrong[i].size);
            read_as(fixture, kmp_read);
            if (fixture->runtime.n_broken == 0)
                fail_msg("the %zuth wrong number was believed", i);
            put(fixture, wrong[i].address, before, wrong[i].size);
        }
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        /* The code names another variable than the data. */
        fixture->runtime.entry = VARIABLE;
        read_as(fixture, kmp_read);
        assert_int_equal(fixture->runtime.n_broken, 0);
        fixture->runtime.entry = ARRAY;
        read_as(fixture, kmp_read);
        assert_true(fixture->runtime.n_broken > 0);
    }
}

/* A pair of variables that lead to arrays one behind the other, among all else. */
TEST(kmp_variables_are_found_by_what_they_lead_to)
{
    const struct runtime_image image = {
        .bias = VARIABLE - 0x100, .data = VARIABLE - 0x100, .data_end = VARIABLE + 0x80};
    uint64_t found[MAX_VARIABLES];

    make_kmp(fixture, mqd_kmp_tables[0]);
    PUT8(VARIABLE - 0x40, VARIABLE);
    PUT8(VARIABLE - 0x38, VARIABLE + 0x40);
    PUT8(VARIABLE - 0x20, ARRAY);
    PUT8(VARIABLE - 0x18, ARRAY + 8 * 70000);
    assert_int_equal(kmp_find_variables(&fixture->memory, &image, found), 1);
    assert_int_equal(found[0], VARIABLE);
}

/* The C library. */

enum { HOLDER = 101, FUTEX = LOCK + 0x28, STACK_POINTER = 7 };

static struct openmp_sleep sleep_of(struct fixture *fixture, uint64_t futex, uint32_t value, bool for_ever)
{
    struct stack threads[] = {{.thread = 100, .in_futex = for_ever, .futex = futex, .futex_value = value,
                               .registers = {.n = STACK_POINTER + 1, .values = {[STACK_POINTER] = STACK}}},
                              {.thread = HOLDER}};
    const struct stacks stacks = {.stacks = threads, .n = 2};
    struct openmp_sleep sleep;

    runtime_memory_clear(&fixture->memory);
    posix_find(&sleep, &fixture->memory, &stacks, 0, STACK_POINTER);
    return sleep;
}

static void put_mutex(struct fixture *fixture, uint32_t lock, uint32_t owner, uint32_t kind)
{
    PUT4(FUTEX, lock);
    PUT4(FUTEX + 8, owner);
    PUT4(FUTEX + 16, kind);
}

TEST(mutex_names_its_holder)
{
    make_gomp(fixture, mqd_gomp_tables[0]);
    put_mutex(fixture, 2, HOLDER, 0);
    assert_int_equal(sleep_of(fixture, FUTEX, 2, true).mutex, FUTEX);
    assert_int_equal(sleep_of(fixture, FUTEX, 2, true).holder, HOLDER);
    assert_false(sleep_of(fixture, FUTEX, 2, false).is_known);
    assert_false(sleep_of(fixture, 0, 2, true).is_known);
    /* It is held, and the holder has not said so yet; or it is not of this process. */
    put_mutex(fixture, 2, 0, 0);
    assert_int_equal(sleep_of(fixture, FUTEX, 2, true).mutex, FUTEX);
    assert_int_equal(sleep_of(fixture, FUTEX, 2, true).holder, 0);
    put_mutex(fixture, 2, 77, 0);
    assert_int_equal(sleep_of(fixture, FUTEX, 2, true).holder, 0);
    /* One whose lock is the holder's id, with flags. */
    put_mutex(fixture, 0x80000000 | HOLDER, HOLDER, 32);
    assert_int_equal(sleep_of(fixture, FUTEX, 1, true).holder, HOLDER);
}

TEST(mutex_that_processes_share_names_no_holder)
{
    make_gomp(fixture, mqd_gomp_tables[0]);
    put_mutex(fixture, 2, HOLDER, 128);
    assert_int_equal(sleep_of(fixture, FUTEX, 2, true).mutex, FUTEX);
    assert_int_equal(sleep_of(fixture, FUTEX, 2, true).holder, 0);
    /* A robust one is marked so too. */
    put_mutex(fixture, 0x80000000 | HOLDER, HOLDER, 128 | 16);
    assert_int_equal(sleep_of(fixture, FUTEX, 1, true).holder, HOLDER);
}

TEST(mutex_that_is_free_is_not_waited_for)
{
    make_gomp(fixture, mqd_gomp_tables[0]);
    for (uint32_t lock = 0; lock < 2; lock++) {
        put_mutex(fixture, lock, 0, 0);
        assert_int_equal(sleep_of(fixture, FUTEX, 2, true).mutex, 0);
    }
    /* What has another kind than there are is none. */
    put_mutex(fixture, 2, HOLDER, 0x12345678);
    assert_int_equal(sleep_of(fixture, FUTEX, 2, true).mutex, 0);
}

/* Either of two words of a condition is slept at; its address is on the stack. glibc 2.41 has moved them. */
TEST(condition_is_found_by_its_address)
{
    make_gomp(fixture, mqd_gomp_tables[0]);
    for (uint64_t futex = FUTEX; futex <= FUTEX + 4; futex += 4)
        for (uint64_t distance = 32; distance <= 40; distance += 8) {
            PUT4(FUTEX - 4, 8);
            PUT8(STACK + 0x50, FUTEX - distance);
            assert_int_equal(sleep_of(fixture, futex, 0, true).condition, FUTEX - distance);
            PUT8(STACK + 0x50, 0);
            assert_int_equal(sleep_of(fixture, futex, 0, true).condition, 0);
            PUT8(STACK + 0x50, FUTEX - distance);
            PUT4(FUTEX - 4, 7);
            assert_int_equal(sleep_of(fixture, futex, 0, true).condition, 0);
        }
    /* Both may be one. */
    PUT4(FUTEX - 4, 8);
    PUT8(STACK + 0x50, FUTEX - 40);
    PUT8(STACK + 0x58, FUTEX - 32);
    assert_int_equal(sleep_of(fixture, FUTEX, 0, true).condition, 0);
}

/* Text. */

TEST(threads_that_do_the_same_are_one_line)
{
    struct openmp_runtime runtimes[] = {{.file = "libgomp.so.1", .name = "libgomp"},
                                        {.file = "libx.so", .name = "libomp", .problem = "no layout fits"}};
    struct openmp_team teams[] = {
        {.size = 4, .level = 1, .parent = -1, .awaited = 1, .place = "solve.c:9"},
        {.size = 2, .level = 2, .parent = 0, .parent_number = 3, .awaited = -1, .cancelled = true}};
    struct openmp_thread threads[] = {
        {.thread = 100, .number = 0, .state = OPENMP_wait_barrier, .place = "solve.c:12"},
        {.thread = 101, .number = 1, .state = OPENMP_wait_barrier, .place = "solve.c:12"},
        {.thread = 102, .number = 2, .state = OPENMP_work_parallel, .explicit_task = true, .creator = 100},
        {.thread = 103, .team = 1, .number = 0, .state = OPENMP_wait_lock, .object_name = "faces", .holder = 104},
        {.thread = 104, .team = 1, .number = 1, .state = OPENMP_wait_critical, .place = "solve.c:20"},
        {.team = 0, .number = 3, .state = OPENMP_ended},
        {.thread = 105, .team = -1, .number = -1, .state = OPENMP_idle},
        {.thread = 106, .team = -1, .number = -1, .runtime = -1, .state = OPENMP_wait_mutex, .holder = 7},
        {.thread = 107, .team = -1, .number = -1, .runtime = -1},
    };
    const struct openmp openmp = {.runtimes = runtimes, .n_runtimes = 2, .teams = teams, .n_teams = 2,
                                  .threads = threads, .n_threads = sizeof threads / sizeof *threads};
    const struct listing same[] = {{.rank = 0, .openmp = &openmp}, {.rank = 1, .openmp = &openmp}, {.rank = 2}};
    const struct listing *listings[] = {&same[0], &same[1], &same[2]};
    const char *text = PRINTED(stacks_print(test_to, listings, 3));

    assert_text(strstr(text, "\nThreads\n"),
                "\nThreads\n"
                "  ranks 0,1:\n"
                "    team of 4 threads, region at solve.c:9; 1 has not come to the barrier\n"
                "      threads 0,1 at a barrier: solve.c:12\n"
                "      thread 2 in the region, executing a task of thread 0\n"
                "      thread 3 ended\n"
                "    team of 2 threads, in a region, begun by thread 3 of that at solve.c:9,\n"
                "        cancelled\n"
                "      thread 0 waiting for a lock (faces), which thread 1 has\n"
                "      thread 1 waiting to enter a critical region: solve.c:20\n"
                "    libomp (libx.so) is not understood: no layout fits\n"
                "    a thread waiting for a mutex, which another thread has\n"
                "    1 idle thread\n");
    /* Ids tell ranks apart: one alone has them. */
    assert_non_null(strstr(PRINTED(stacks_print(test_to, listings + 1, 2)),
                           "a thread waiting for a mutex, which thread 7 has\n"));
    /* Without a runtime nothing is said of it. */
    assert_null(strstr(PRINTED(stacks_print(test_to, listings + 2, 1)), "OpenMP"));
}

/* Whatever is in memory, reading ends, and soon. */
TEST(any_memory_is_read_to_an_end)
{
    static const uint64_t values[] = {0, UINT64_MAX, 1, TEAM, BASE + MEMORY - 1, 1000000000};
    enum { STEP = 8, MAX_READS = 200 };

    make_gomp(fixture, mqd_gomp_tables[0]);
    for (uint64_t at = 0; at < MEMORY; at += STEP) {
        uint64_t before;

        memcpy(&before, fixture->bytes + at, sizeof before);
        for (size_t i = 0; i < sizeof values / sizeof *values && before != 0; i++) {
            put(fixture, BASE + at, values[i], 8);
            read_as(fixture, gomp_read);
            assert_true(fixture->n_reads < MAX_READS);
        }
        put(fixture, BASE + at, before, 8);
    }
    make_kmp(fixture, mqd_kmp_tables[0]);
    for (uint64_t at = 0; at < MEMORY; at += STEP) {
        uint64_t before;

        memcpy(&before, fixture->bytes + at, sizeof before);
        for (size_t i = 0; i < sizeof values / sizeof *values && before != 0; i++) {
            put(fixture, BASE + at, values[i], 8);
            read_as(fixture, kmp_read);
            assert_true(fixture->n_reads < MAX_READS);
        }
        put(fixture, BASE + at, before, 8);
    }
}

/* A page that cannot be read is no page of zeros. */
TEST(pages_that_cannot_be_read_are_contradictions)
{
    make_gomp(fixture, mqd_gomp_tables[0]);
    fixture->hole = TEAM;
    read_as(fixture, gomp_read);
    assert_true(fixture->runtime.n_broken > 0);
    make_kmp(fixture, mqd_kmp_tables[0]);
    fixture->hole = INFOS;
    read_as(fixture, kmp_read);
    assert_true(fixture->runtime.n_broken > 0);
}
