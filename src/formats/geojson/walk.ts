import type { DataFile } from '../format.ts'
import { RowError } from '../reject-writer.ts'
import type { TopMembers } from './document.ts'
import { readLayout, readTopMember } from './document.ts'
import { JsonSyntaxError, outOfJsonBytes } from './json-scanner.ts'
import type { JsonSource } from './json-source.ts'
import type { RecordSink } from './record.ts'
import { isRowError, takeRecord } from './record.ts'

/**
 * Passes every record of the file to the sink and yields whenever the sink is full. Returns the members of
 * the outermost object. Throws `FormatError` for invalid JSON, except in a file of records, where it is a
 * reject.
 */
export async function* walkRecords(
  file: DataFile,
  source: JsonSource,
  sink: RecordSink,
): AsyncGenerator<void, TopMembers> {
  const { kind, separator, top } = await readLayout(source, file.path)
  if (kind === 'object') await takeWhole(source, sink)
  else if (kind === 'records') yield* walkLines(source, sink, separator)
  else {
    yield* walkFeatures(source, sink)
    await finishCollection(source, top)
  }
  return top
}

async function takeWhole(source: JsonSource, sink: RecordSink): Promise<void> {
  source.row = 1
  await source.step(() => takeRecord(source.scanner, sink, 1, true))
}

async function* walkFeatures(source: JsonSource, sink: RecordSink): AsyncGenerator<void, void> {
  for (;;) {
    const state = takeFeatures(source, sink)
    if (state === 'end') return
    if (state === 'full') yield
    else await source.need(source.scanner.at)
  }
}

/** Reads features until the end of the array or of the available bytes, or until the sink is full. */
function takeFeatures(source: JsonSource, sink: RecordSink): 'end' | 'full' | 'more' {
  const { scanner } = source
  let mark = scanner.at
  try {
    for (;;) {
      if (!source.isRowOpen) {
        if (!scanner.next(source.row === 0, 0x5d)) return 'end'
        source.row += 1
        source.isRowOpen = true
        mark = scanner.at
      }
      takeRecord(scanner, sink, source.row, false)
      source.isRowOpen = false
      mark = scanner.at
      if (sink.isFull) return 'full'
    }
  } catch (error) {
    if (error !== outOfJsonBytes) throw source.located(error)
    scanner.at = mark
    return 'more'
  }
}

/** Reads the members after the features, to the end of the file. */
async function finishCollection(source: JsonSource, top: TopMembers): Promise<void> {
  const { scanner } = source
  const passMember = (): boolean => {
    if (!scanner.next(false, 0x7d)) return false
    scanner.key()
    if (readTopMember(scanner, top)) scanner.fail('"features" stands there twice', scanner.at - 1)
    return true
  }
  while (await source.step(passMember));
  if ((await source.peek()) !== 0 || !source.isAtEnd) source.fail('there is text after the end of the object')
  if (top.type !== undefined && top.type !== 'FeatureCollection') {
    source.fail(`"type" is "${top.type.slice(0, 40)}", not "FeatureCollection"`)
  }
}

async function* walkLines(
  source: JsonSource,
  sink: RecordSink,
  separator: number,
): AsyncGenerator<void, void> {
  for (;;) {
    const state = takeLines(source, sink, separator)
    if (state === 'full') yield
    else if (!(await source.more(source.scanner.at)) && source.scanner.end === 0) return
  }
}

/** Reads whole lines (RFC 8142: texts up to the next separator); at the end of the file, the rest. */
function takeLines(source: JsonSource, sink: RecordSink, separator: number): 'full' | 'more' {
  const { scanner } = source
  const { bytes } = scanner
  const end = scanner.end
  for (;;) {
    const start = scanner.at
    const found = bytes.indexOf(separator, start)
    const isWhole = found >= 0 && found < end
    if (!isWhole && !(source.isAtEnd && start < end)) return 'more'
    const stop = isWhole ? found : end
    bytes[stop] = 0
    scanner.end = stop
    if (scanner.space() !== 0 || scanner.at < stop) {
      source.row += 1
      takeLine(source, sink)
    }
    scanner.end = end
    scanner.at = Math.min(stop + 1, end)
    if (sink.isFull) return 'full'
  }
}

/** Reads one record between its start and the end of the scanner; any error rejects it. */
function takeLine(source: JsonSource, sink: RecordSink): void {
  const { scanner } = source
  const start = scanner.at
  try {
    sink.takeObject()
    scanner.space()
    if (scanner.at < scanner.end) throw new RowError('The line has text after the feature')
    sink.commit(source.row)
  } catch (error) {
    sink.undo()
    sink.reject(source.row, lineError(error, start), start, scanner.end)
  }
}

function lineError(error: unknown, start: number): Error {
  if (error === outOfJsonBytes) return new RowError('The line ends inside the feature')
  if (error instanceof JsonSyntaxError)
    return new RowError(`${error.message} (byte ${error.at - start + 1} of the line)`)
  if (isRowError(error)) return error
  throw error
}
