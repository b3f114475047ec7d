import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** Names the environment variable with the path of the file in which the times of test files are noted. */
export const timesVariable = 'TERRANE_TEST_TIMES'

/** Clock ticks per second in which Linux counts CPU time. */
const ticksPerSecond = 100

/**
 * Time of one test file, in seconds. `children` is the CPU time of the processes that ended while the file
 * ran.
 */
export interface FileTime {
  file: string
  wallSeconds: number
  ownSeconds: number
  childrenSeconds: number
  /** Memory of the process after the file. */
  rssBytes: number
}

type Note = { started: string; process: string } | ({ process: string } & FileTime)

/** Measures a test file that starts now; the result notes its end. */
export function noteFile(file: string): () => void {
  const path = process.env[timesVariable]
  if (path === undefined) return () => undefined
  const [, shard = ''] = process.argv
  const write = (note: Note): void => appendFileSync(path, `${JSON.stringify(note)}\n`)
  const start = { wall: performance.now(), ...processorTime() }
  write({ process: shard, started: file })
  return () => {
    const end = processorTime()
    write({
      process: shard,
      file,
      wallSeconds: (performance.now() - start.wall) / 1000,
      ownSeconds: end.own - start.own,
      childrenSeconds: end.children - start.children,
      rssBytes: process.memoryUsage.rss(),
    })
  }
}

/** CPU seconds of this process, and of its ended child processes where Linux reports them. */
function processorTime(): { own: number; children: number } {
  const { user, system } = process.cpuUsage()
  const own = (user + system) / 1e6
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return { own, children: (Number(fields[13]) + Number(fields[14])) / ticksPerSecond }
  } catch {
    return { own, children: 0 }
  }
}

/** Test files that ended, and by process the file that was running when the process ended without noting its end. */
export interface RunNotes {
  times: FileTime[]
  unfinished: Map<string, string>
}

/** Reads the notes of a run. */
export function readNotes(path: string): RunNotes {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  return parseNotes(lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Note))
}

function parseNotes(notes: readonly Note[]): RunNotes {
  const times: FileTime[] = []
  const unfinished = new Map<string, string>()
  for (const note of notes) {
    if ('started' in note) unfinished.set(note.process, note.started)
    else {
      unfinished.delete(note.process)
      times.push(note)
    }
  }
  return { times, unfinished }
}
