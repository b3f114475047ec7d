import { symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PromiseCache } from '../../core/concurrency/promise-cache.ts'
import { copyGuarded, findSettledPath } from '../../core/files/guarded-files.ts'
import { findProgram, ProgramError, runProgram } from '../../core/process/process.ts'
import { FormatError } from '../format.ts'

const beginning = /^(ERROR \d+|FAILURE|Warning \d+|More than \d+)\b:?\s*/
/**
 * Lines that only follow another error without information of their own, and lines about names of coordinate
 * systems.
 */
const empty = /^(Terminating translation|Unable to write feature|Failed to write layer|PROJ: )/

/**
 * Returns the errors printed by a GDAL program, each with its continuation lines, the most informative first.
 */
export function gdalComplaints(stderr: string): string[] {
  const output: { isError: boolean; text: string }[] = []
  for (const line of stderr.split('\n')) {
    const start = beginning.exec(line)
    const last = output.at(-1)
    if (start !== null) {
      output.push({ isError: /^(ERROR|FAILURE)/.test(line), text: line.slice(start[0].length).trim() })
    } else if (last !== undefined) last.text = `${last.text} ${line.trim()}`.trim()
  }
  const errors = output.filter(({ isError, text }) => isError && text !== '').map(({ text }) => text)
  const telling = errors.filter((text) => !empty.test(text))
  return telling.length > 0 ? telling : errors
}

const memoryBytes = 4 * 1024 ** 3
const maxComplaintLength = 500

/**
 * GDAL configuration for untrusted files: no network, no plug-ins or scripts, nothing written next to a file.
 */
export const safeConfig: Record<string, string> = {
  CPL_VSIL_CURL_ALLOWED_EXTENSIONS: 'none',
  GDAL_HTTP_PROXY: 'http://127.0.0.1:9',
  GDAL_HTTP_TIMEOUT: '1',
  PROJ_NETWORK: 'OFF',
  GDAL_VRT_ENABLE_PYTHON: 'NO',
  GDAL_PAM_ENABLED: 'NO',
  CPL_TMPDIR: tmpdir(),
}

function gdalMissing(): FormatError {
  return new FormatError(
    'This format is read through GDAL, which is not installed: install the Debian package gdal-bin',
    { code: 'gdal-missing' },
  )
}

const driverLists = new PromiseCache<string, string[]>()

/**
 * Returns the short names of the drivers that a GDAL program (`ogrinfo`: vector, `gdalinfo`: raster) lists.
 * Throws `FormatError` if GDAL is not installed.
 */
export async function listDrivers(name: 'ogrinfo' | 'gdalinfo'): Promise<string[]> {
  const program = await findProgram(name)
  if (program === undefined) throw gdalMissing()
  return driverLists.get(name, () => readDrivers(program))
}

async function readDrivers(program: string): Promise<string[]> {
  const { stdout } = await runProgram(program, ['--formats'], { timeoutMs: 30_000 })
  const lines = stdout.toString('utf8').split('\n')
  return lines.flatMap((line) => /^ {2}(\S.*?) -[a-z, ]+- \(/.exec(line)?.[1] ?? [])
}

/**
 * Returns the command of a GDAL program with a memory limit, and with `maxFileBytes` a limit on each written
 * file, that ends when this process dies; as far as `prlimit` and `setpriv` (Debian: util-linux) are
 * installed.
 */
export async function limitedProgram(
  name: string,
  args: string[],
  { maxFileBytes }: { maxFileBytes?: number } = {},
): Promise<[string, string[]]> {
  const program = await findProgram(name)
  if (program === undefined) throw gdalMissing()
  const ofFiles = maxFileBytes === undefined ? [] : [`--fsize=${maxFileBytes}`, '--core=0']
  const limiter = await findProgram('prlimit')
  const limits = limiter === undefined ? [] : [limiter, `--as=${memoryBytes}`, ...ofFiles]
  const binder = await findProgram('setpriv')
  const binding = binder === undefined ? [] : [binder, '--pdeathsig', 'KILL']
  const [first = program, ...rest] = [...limits, ...binding, program, ...args]
  return [first, rest]
}

const reasons: Record<ProgramError['reason'], string> = {
  failed: 'it is not what its name or beginning says, or it is broken',
  'not-found': 'its program could not be started',
  'timed-out': 'it took longer than is allowed',
  'output-too-large': 'it makes more output than is allowed',
}

/**
 * Converts the failure of a program to a `FormatError` with GDAL's first error, without the name of the
 * folder.
 */
export function throwUnreadable(error: unknown, folder: string): never {
  if (!(error instanceof ProgramError)) throw error
  const [complaint] = gdalComplaints(error.stderr)
  const isKilled = error.reason === 'failed' && error.exitCode === undefined
  const reason = isKilled
    ? 'the program was ended by a signal, maybe for want of memory'
    : error.reason === 'failed' && complaint !== undefined
      ? complaint.replaceAll(`${folder}/`, '').slice(0, maxComplaintLength)
      : reasons[error.reason]
  if (error.reason === 'timed-out')
    throw new FormatError('GDAL cannot read the file: it took longer than is allowed', {
      code: 'gdal-too-slow',
    })
  throw new FormatError(`GDAL cannot read the file: ${reason}`, { code: 'gdal-failed' })
}

/**
 * Links files into a folder under the given names, so that nothing is written next to the originals. Copies
 * files that other users could replace before GDAL opens them.
 */
export async function linkInto(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, path] of Object.entries(files)) {
    const settled = findSettledPath(path)
    if (settled === undefined) await copyGuarded(path, join(folder, name))
    else await symlink(settled, join(folder, name))
  }
}
