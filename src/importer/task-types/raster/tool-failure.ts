import { Failure } from '../../../core/errors/errors.ts'
import { ProgramError } from '../../../core/process/process.ts'
import type { RasterTransform } from '../../../transforms/index.ts'

const maxMessageLength = 500

/** Returns the last line of the output of a program, without folder names. */
function lastWords(output: string, folders: readonly string[]): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const line = lines.findLast((one) => /^(?:ERROR|FAILURE)\b/.test(one)) ?? lines.at(-1) ?? ''
  const bare = folders.reduce((text, folder) => text.replaceAll(`${folder}/`, ''), line)
  return bare
    .replace(/^(?:ERROR|FAILURE)[ :\d]*/, '')
    .replace(/[^\P{C}\t]/gu, '?')
    .trim()
    .slice(0, maxMessageLength)
}

function failed(
  { type, program }: RasterTransform,
  { exitCode, stderr }: ProgramError,
  folders: readonly string[],
): string {
  const words = lastWords(stderr, folders)
  const what =
    exitCode === undefined
      ? `${program} was killed by the system, possibly because memory ran out`
      : `${program} failed`
  return `${type}: ${what}${words === '' ? '' : `: ${words}`}`
}

/**
 * Converts the failure of a program to an error message with an action for the user. Returns other errors
 * unchanged.
 */
export function toolFailure(
  error: unknown,
  transform: RasterTransform,
  { toolSeconds, folders }: { toolSeconds: number; folders: readonly string[] },
): unknown {
  if (!(error instanceof ProgramError)) return error
  const { type, program } = transform
  switch (error.reason) {
    case 'not-found':
      return new Failure(
        'unavailable',
        'gdal-missing',
        `${type}: ${program} is not installed: install gdal-bin`,
      )
    case 'timed-out':
      return new Failure(
        'unavailable',
        'tool-timed-out',
        `${type}: ${program} took longer than the ${toolSeconds} s that TERRANE_MAX_TOOL_SECONDS allows`,
      )
    case 'output-too-large':
      return new Failure('unavailable', 'tool-failed', `${type}: ${program} wrote too many messages`)
    case 'failed':
      return new Failure('unavailable', 'tool-failed', failed(transform, error, folders))
  }
}

/** Errors of writing, after which some versions of the programs still exit successfully. */
export function refuseWriteErrors(program: string, output: string): void {
  if (/^ERROR 3:|No space left on device|File too large/m.test(output)) {
    throw new ProgramError(program, 'failed', output, 0)
  }
}
