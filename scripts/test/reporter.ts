// The `spec` reporter of node's test runner. Before its summary it lists the slowest files, and it names the test file in
// which a process ended that ran several.
import { Readable } from 'node:stream'
import { spec } from 'node:test/reporters'
import { readNotes, timesVariable } from './file-times.ts'
import { watchProcessors } from './processor-use.ts'
import { cpuTimes, slowestFiles } from './times.ts'

/** Names the environment variable with lines to be shown before the summary, such as that the check failed. */
export const remarksVariable = 'TERRANE_TEST_REMARKS'
/** Set where the CPU time of folders and files is to be listed too. */
export const listTimesVariable = 'TERRANE_TEST_LIST_TIMES'

const slowest = 20
const mostCpu = 40

interface TestEvent {
  type: string
  data: { nesting?: number; message?: string; file?: string; name?: string }
}

/** Formats the events of a run. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  yield* Readable.from(withRemarks(events)).pipe(new spec())
}

async function* withRemarks(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  let isSummary = false
  const processorUse = watchProcessors()
  for await (const event of events) {
    if (!isSummary && isStartOfSummary(event)) {
      isSummary = true
      for (const message of remarks(processorUse()))
        yield { type: 'test:diagnostic', data: { nesting: 0, message } }
    }
    yield event
  }
}

function isStartOfSummary({ type, data }: TestEvent): boolean {
  return type === 'test:diagnostic' && data.nesting === 0 && /^tests \d+$/.test(data.message ?? '')
}

function remarks(processorUse: string): string[] {
  const path = process.env[timesVariable]
  const { times, unfinished } = path === undefined ? { times: [], unfinished: new Map() } : readNotes(path)
  return [
    ...(times.length > 0 ? [...slowestFiles(times, slowest), processorUse] : []),
    ...(process.env[listTimesVariable] === undefined ? [] : cpuTimes(times, mostCpu)),
    ...[...unfinished].map(
      ([shard, file]) => `A process ended while it ran ${file} (${shard}); the files after it did not run.`,
    ),
    ...(process.env[remarksVariable] ?? '').split('\n').filter((line) => line !== ''),
  ]
}
