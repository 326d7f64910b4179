"""Compares what `mqdump --json` says of a process with the truth that the process wrote about itself."""

QUEUES = ("pending_sends", "pending_receives", "unexpected_messages")

NO_TEXT, NO_NUMBER = (str, type(None)), (int, type(None))

# What our DLL adds to it.
FACTS = {
    "call": NO_TEXT, "mode": NO_TEXT, "protocol": NO_TEXT, "progress": NO_TEXT, "persistent": bool, "freed": bool,
    "internal": bool, "collective": bool, "waits_for_receiver": bool, "purpose": NO_TEXT, "request": NO_TEXT,
    "count": NO_NUMBER, "datatype": NO_TEXT, "arrived": int, "error_class": NO_NUMBER, "sequence": NO_NUMBER,
    "collective_number": NO_NUMBER, "peer": (dict, type(None)), "send_request": NO_TEXT, "found_at": (dict, type(None)),
}

# Every member of mqs_pending_operation, and what JSON makes of it.
OPERATION = {
    "status": str, "desired_local_rank": NO_NUMBER, "desired_global_rank": NO_NUMBER, "tag_wild": int,
    "desired_tag": NO_NUMBER, "desired_length": NO_NUMBER, "system_buffer": int, "buffer": NO_TEXT,
    "actual_local_rank": int, "actual_global_rank": int, "actual_tag": int, "actual_length": int, "extra_text": list,
    **FACTS,
}

EXACT = [field for field in OPERATION if field not in ("buffer", "extra_text") and field not in FACTS]
MAX_LINES = 4          # of extra text: readers that want the fifth to be empty exist
MAX_LINE_LENGTH = 63
MAX_REPORTED = 12      # differences of one queue


def malformed(operation):
    """Why this is not an operation at all; None if it is one."""
    if not isinstance(operation, dict):
        return f"is {operation!r}"
    if set(operation) != set(OPERATION):
        return f"has other fields than an operation: {sorted(set(operation) ^ set(OPERATION))}"
    for field, kind in OPERATION.items():
        if not isinstance(operation[field], kind) and not (kind is int and isinstance(operation[field], bool)):
            return f"{field} is {operation[field]!r}"
    lines = operation["extra_text"]
    if not all(isinstance(line, str) and 0 < len(line.encode()) <= MAX_LINE_LENGTH for line in lines):
        return f"extra_text has a line that cannot be one: {lines!r}"
    if len(lines) > MAX_LINES:
        return f"extra_text has {len(lines)} lines"
    try:
        int(operation["buffer"] or "0", 16)
    except ValueError:
        return f"buffer is {operation['buffer']!r}"
    return None


def compare_buffer(expected, operation, memory):
    """Where the data lie, or what lies there."""
    address = int(operation["buffer"] or "0", 16)
    if operation["buffer"] is None and not expected.get("unknown_buffer"):
        return [f"buffer is not known, not {expected.get('buffer')}"]
    if "buffer" in expected and operation["buffer"] is not None:
        wanted = expected["buffer"]
        low, high = wanted if isinstance(wanted, list) else (wanted, wanted)
        if not int(low, 16) <= address <= int(high, 16):
            return [f"buffer is {operation['buffer']}, not {wanted}"]
    for key in ("data", "data_if_any"):
        if key not in expected or (key == "data_if_any" and address == 0):
            continue
        wanted = bytes.fromhex(expected[key])
        found = memory(address, len(wanted))
        if found != wanted:
            shown = found.hex() if found is not None else "nothing readable"
            return [f"at buffer {operation['buffer']} is {shown}, not {expected[key]}"]
    return []


def has_words(text, words):
    """A number counts only as a whole word: 1 is not found in 10."""
    separated = "".join(c if c.isalnum() else " " for c in text).split()
    return [word for word in words if (word not in separated if word.isdigit() else word.lower() not in text.lower())]


def words_of(facts):
    """
    What the text for the user must have, and what it must not. Of several facts that are right it may have any; but the
    last of several calls is a part of all.
    """
    if facts.get("call") == "message":
        words = [facts["protocol"]]
    else:
        call, *others = (facts.get(name) for name in ("call", "count", "datatype", "request"))
        words = [call[-1] if isinstance(call, list) else call, *others]
    # The handle of a buffered send may have been freed by MPI: that is no fact for people.
    told = {"persistent": facts.get("persistent"), "handle freed": facts.get("call") != "bsend" and facts.get("freed")}
    return ([str(word) for word in words if word is not None and not isinstance(word, list)] +
            [text for text, is_so in told.items() if is_so], [text for text, is_so in told.items() if is_so is False])


def compare_waiting(operation):
    """The facts of who waits for whom are what the status says, and what people read."""
    text = "; ".join(operation["extra_text"])
    waits = any(words in text for words in ("waiting for the receiver", "sent, waiting for a receive")) and \
        "or for the network" not in text
    if operation["waits_for_receiver"] != waits or (waits and operation["status"] != "pending"):
        return [f"waits_for_receiver is {operation['waits_for_receiver']}, and the text is {text!r}"]
    if (operation["progress"] == "waited_for") != ("a thread waits for it" in text):
        return [f"progress is {operation['progress']}, and the text is {text!r}"]
    return []


def fits(value, expected):
    """Of several values that are right any will do."""
    return value in expected if isinstance(expected, list) else value == expected


def compare_operation(expected, operation, memory):
    wrong = malformed(operation)
    if wrong:
        return [wrong]
    differences = [f"{field} is {operation[field]!r}, not {expected[field]!r}"
                   for field in EXACT if field in expected and not fits(operation[field], expected[field])]
    differences += [f"{fact} is {operation[fact]!r}, not {value!r}"
                    for fact, value in expected.get("facts", {}).items() if not fits(operation[fact], value)]
    differences += compare_waiting(operation)
    differences += compare_buffer(expected, operation, memory)
    text = "\n".join(operation["extra_text"])
    wanted, unwanted = words_of(expected.get("facts", {}))
    for word in has_words(text, wanted):
        differences.append(f"extra_text {operation['extra_text']!r} says nothing of {word!r}")
    for word in unwanted:
        if word.lower() in text.lower():
            differences.append(f"extra_text {operation['extra_text']!r} speaks of {word!r}")
    return differences


def describe(operation):
    if not isinstance(operation, dict):
        return repr(operation)
    return ", ".join(f"{field} {operation[field]}" for field in
                     ("status", "desired_local_rank", "desired_tag", "desired_length", "buffer") if field in operation)


def compare_aligned(expected, operations, memory):
    """Goes through both lists at once; an operation that need not be there is left out where it does not fit."""
    differences = []
    position = 0
    for number, wanted in enumerate(expected):
        if position == len(operations):
            if not wanted.get("optional"):
                differences.append(f"{number} is missing: {describe(wanted)}")
            continue
        found = compare_operation(wanted, operations[position], memory)
        if found and wanted.get("optional"):
            continue
        differences += [f"{number}: {difference}" for difference in found]
        position += 1
    differences += [f"not expected: {describe(operation)}" for operation in operations[position:]]
    return differences


def value_of(operation, field):
    """The same of an operation that is expected and of one that is listed: the first of several that are right."""
    value = operation[field] if field in operation else operation.get("facts", {}).get(field)
    return value[0] if isinstance(value, list) else value


def compare_queue(expected, operations, memory, order_by=None):
    """
    Presence, absence, order and every field. Where `order_by`, a function of an operation, has the same value, the
    order is the queue's; else it is not known.
    """
    if expected is None:
        return []
    if not isinstance(operations, list):
        return [f"is {operations!r}"]
    if order_by and not any(map(malformed, operations)):
        expected, operations = (sorted(queue, key=order_by) for queue in (expected, operations))
    differences = compare_aligned(expected, operations, memory)
    if len(differences) > MAX_REPORTED:
        n_more = len(differences) - MAX_REPORTED
        differences = differences[:MAX_REPORTED] + [f"and {n_more} more differences"]
    return differences


def compare_use(expected, communicator):
    """The truth has none but the program's communicators."""
    use = communicator.get("use") or {}
    differences = [] if use.get("owner") == "program" else [f"its owner is {use.get('owner')!r}"]
    count = use.get("nonblocking_collectives")
    if "nonblocking" in expected and count != expected["nonblocking"]:
        differences.append(f"{count} nonblocking collectives, not {expected['nonblocking']}")
    return differences


def compare_communicator(expected, communicator, memory):
    differences = compare_use(expected, communicator)
    if "errors" in communicator or "error" in communicator:
        differences.append(f"errors: {communicator.get('errors', communicator.get('error'))!r}")
    if not isinstance(communicator.get("unique_id"), int):
        differences.append(f"unique_id is {communicator.get('unique_id')!r}")
    for queue in QUEUES:
        differences += [f"{queue}: {difference}"
                        for difference in compare_queue(expected[queue], communicator.get(queue), memory,
                                                        expected.get("order_by", {}).get(queue))]
    return differences


def same_members(expected, communicator):
    return all(communicator.get(field) == expected[field] for field in ("local_rank", "size", "group"))


def find_communicator(expected, communicators):
    for communicator in communicators:
        if expected["name"] in (None, communicator.get("name")) and same_members(expected, communicator):
            return communicator
    return None


def describe_communicator(communicator):
    return ", ".join(f"{field} {communicator.get(field)!r}" for field in ("name", "local_rank", "size", "group"))


def pair_communicators(truth, process):
    """Pairs of expected and listed communicators, and what has no partner. Those with names choose first."""
    left = list(process["communicators"])
    pairs, differences = [], []
    for expected in sorted(truth["communicators"], key=lambda communicator: communicator["name"] is None):
        found = find_communicator(expected, left)
        if found is None:
            differences.append(f"communicator is missing: {describe_communicator(expected)}")
        else:
            left.remove(found)
            pairs.append((expected, found))
    differences += [f"communicator is not expected: {describe_communicator(communicator)}" for communicator in left]
    return pairs, differences


def compare_process(truth, process, memory):
    """All differences between the truth of one rank and its part of the document, as text."""
    differences = [f"{field} is {process.get(field)!r}, not {truth[field]!r}"
                   for field in ("pid", "rank", "thread_level") if field in truth and process.get(field) != truth[field]]
    if "error" in process:
        differences.append(f"error: {process['error']!r}")
    if not isinstance(process.get("communicators"), list):
        return differences + [f"communicators is {process.get('communicators')!r}"]
    pairs, unpaired = pair_communicators(truth, process)
    differences += unpaired
    ids = [communicator.get("unique_id") for communicator in process["communicators"]]
    if len(set(ids)) != len(ids):
        differences.append(f"unique_id does not tell communicators apart: {ids}")
    for expected, communicator in pairs:
        label = f"{expected['key']} ({communicator.get('name')!r})"
        differences += [f"{label}: {difference}"
                        for difference in compare_communicator(expected, communicator, memory)]
    return differences


def compare_owner(made, use):
    owner = {"a window": "window", "a file": "file"}.get(made["purpose"], "library")
    if use["owner"] == owner and (use["object"] is None) == (owner == "library"):
        return []
    return [f"(for {made['purpose']}): its owner is {use['owner']!r}, at {use['object']!r}"]


def compare_made(made, communicators):
    """Communicators that Open MPI has made for itself are named by their purpose, and so is what is on them."""
    suffix = f"(for {made['purpose']})"
    found = [communicator for communicator in communicators if communicator["name"].endswith(suffix)]
    texts = ["; ".join(operation["extra_text"]) for communicator in found
             for queue in QUEUES if queue != "unexpected_messages" for operation in communicator.get(queue) or []]
    differences = [f"{suffix}: an operation only says {text!r}" for text in texts
                   if f"for {made['purpose']}" not in text]
    differences += [difference for communicator in found for difference in compare_owner(made, communicator["use"])]
    wanted = made["count"] if made["count"] >= 0 else "some"
    if len(found) != wanted and (wanted != "some" or not found):
        names = [communicator["name"] for communicator in communicators]
        differences.append(f"{len(found)} communicators are {suffix}, not {wanted}: {names}")
    if made["operations"] and not texts:
        differences.append(f"{suffix}: no operation")
    return differences


def compare_numbers(expected, communicator):
    """What a rank has pending of a nonblocking collective is of the last one that it has started; it was the only one."""
    numbers = {operation["collective_number"] for queue in QUEUES if queue != "unexpected_messages"
               for operation in communicator.get(queue) or []
               if (operation["purpose"] or "").startswith("non-blocking collective")}
    if expected.get("nonblocking") is None or numbers <= {expected["nonblocking"]}:
        return []
    return [f"{expected['key']}: nonblocking collectives {sorted(numbers, key=str)}, not {expected['nonblocking']}"]


def compare_internal(truth, process):
    """What is Open MPI's own is listed where the truth says so; for a listing that was asked for it."""
    if not isinstance(process.get("communicators"), list):
        return [f"communicators is {process.get('communicators')!r}"]
    differences = [difference for made in truth["made"] for difference in compare_made(made, process["communicators"])]
    for expected in truth["communicators"]:
        communicator = find_communicator(expected, process["communicators"])
        if communicator is None:
            differences.append(f"communicator is missing: {describe_communicator(expected)}")
            continue
        differences += compare_numbers(expected, communicator)
        operations = [operation for queue in QUEUES for operation in communicator.get(queue) or []]
        internal = ["; ".join(operation["extra_text"]) for operation in operations
                    if operation["desired_tag"] < -1 and not operation["tag_wild"]]
        if expected["internal"] and not any(expected["internal"] in text for text in internal):
            differences.append(f"{expected['key']}: no operation of Open MPI's own for {expected['internal']}, but "
                               f"{internal}")
    return differences


def compare_document(truths, document, memories):
    """All ranks: {rank: [difference]}, without ranks that have none. `memories` gives a reader for a pid."""
    if document.get("format") != 1 or not isinstance(document.get("mqdump"), str):
        return {"document": [f"format is {document.get('format')!r}, mqdump is {document.get('mqdump')!r}"]}
    processes = document.get("processes")
    pids = [process.get("pid") for process in processes]
    if pids != [truth["pid"] for truth in truths]:
        return {"document": [f"processes are {pids}, not {[truth['pid'] for truth in truths]}"]}
    differences, ids = {}, {}
    for truth, process in zip(truths, processes):
        found = compare_process(truth, process, memories(truth["pid"]))
        if isinstance(process.get("communicators"), list):
            for expected, communicator in pair_communicators(truth, process)[0]:
                if expected["name"] is not None:
                    ids.setdefault(expected["key"], set()).add(communicator.get("unique_id"))
        if found:
            differences[f"rank {truth['rank']}"] = found
    for key, values in ids.items():
        if len(values) != 1 and key != "self":
            differences.setdefault("document", []).append(f"{key} has a different unique_id on its members: {values}")
    return differences
