import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { timesVariable } from './note-time.ts'

interface FileTime {
  file: string
  own: number
  children: number
}

const mostFiles = 40

/** Counts the processor time of each test file of a run. */
export interface RunTimes {
  options: string[]
  env: Record<string, string>
  /** What they took, in lines; removes what was noted. */
  tell(): string
}

/** Of files below `root`. */
export function countTimes(root: string): RunTimes {
  const path = join(mkdtempSync(join(tmpdir(), 'terrane-times-')), 'times.jsonl')
  return {
    options: [`--import=${new URL('./note-time.ts', import.meta.url).href}`],
    env: { [timesVariable]: path },
    tell: () => {
      const notes = existsSync(path) ? readFileSync(path, 'utf8') : ''
      rmSync(dirname(path), { recursive: true })
      return tellTimes(notes, root, mostFiles)
    },
  }
}

/** The sums of all files and of each folder, and the files that took most. */
export function tellTimes(notes: string, root: string, mostFiles: number): string {
  const times = notes
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FileTime)
    .map(({ file, own, children }) => ({ file: relative(root, file), seconds: own + children, children }))
    .sort((a, b) => b.seconds - a.seconds)
  const folders = [...Map.groupBy(times, ({ file }) => file.split('/').slice(0, 2).join('/'))]
    .map(([folder, files]) => ({ folder, seconds: sum(files) }))
    .sort((a, b) => b.seconds - a.seconds)
  return [
    `processor time of ${times.length} files, with the programs that they started: ${sum(times).toFixed(0)} s`,
    ...folders.map(({ folder, seconds }) => `${shown(seconds)}  ${folder}`),
    'files that took most (of that by programs that they started):',
    ...times
      .slice(0, mostFiles)
      .map(({ file, seconds, children }) => `${shown(seconds)}  ${file} (${children.toFixed(1)} s)`),
  ].join('\n')
}

function sum(times: readonly { seconds: number }[]): number {
  return times.reduce((all, { seconds }) => all + seconds, 0)
}

function shown(seconds: number): string {
  return `${seconds.toFixed(1).padStart(7)} s`
}
