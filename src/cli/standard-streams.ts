import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { UsageError } from './options.ts'

/** File name that means standard input or standard output. */
export const standardStream = '-'

/**
 * Writes standard input to a temporary file called `name` and calls `work` with its path; the file is removed
 * afterwards. Throws `UsageError` for an invalid name, or if the input is a terminal.
 */
export async function withStandardInput<T>(
  name: string | undefined,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (name === undefined)
    throw new UsageError(
      'Standard input needs --name FILE, such as --name survey.csv: it tells the format and the layer',
    )
  if (name !== basename(name) || name === '' || name === '.' || name === '..')
    throw new UsageError(`--name is the name of a file without folders; found "${name}"`)
  if (process.stdin.isTTY === true)
    throw new UsageError('Nothing comes from standard input: send a file to it')
  const folder = await mkdtemp(join(tmpdir(), 'terrane-input-'))
  try {
    const path = join(folder, name)
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }))
    return await work(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Calls `write` with a temporary file and then renames the file, or sends it to standard output for `-`. If
 * `write` fails, nothing is left, and an existing file is not changed.
 */
export async function writeOutput<T>(output: string, write: (path: string) => Promise<T>): Promise<T> {
  const isStandard = output === standardStream
  const part = isStandard
    ? join(tmpdir(), `terrane-output-${randomUUID()}`)
    : `${output}.${randomUUID()}.part`
  try {
    const result = await write(part)
    if (isStandard) await pipeline(createReadStream(part), process.stdout, { end: false })
    else await rename(part, output)
    return result
  } finally {
    await rm(part, { force: true })
  }
}

/** Prints a message: to standard error if standard output contains a file. */
export function printProgress(output: string | undefined, text: string): void {
  const stream = output === standardStream ? process.stderr : process.stdout
  stream.write(`${text}\n`)
}
