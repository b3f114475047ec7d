import type { Failure } from '../../core/errors/errors.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { ProgramError } from '../../core/process/process.ts'

const maxWords = 300

/** The error for a layer that can never have tiles: `because` ends the sentence. */
export function noTiles(because: string): Failure {
  return notFound('no-tiles', `There are no tiles of this raster: ${because}`)
}

/** Returns a GDAL program's message as the reason; without the folders in which it ran. */
export function toolTrouble({ program, reason, stderr }: ProgramError, folders: readonly string[]): Failure {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const line = lines.findLast((one) => /^(?:ERROR|FAILURE)\b/.test(one)) ?? lines.at(-1) ?? ''
  const bare = folders.reduce((text, folder) => text.replaceAll(`${folder}/`, ''), line)
  const words = bare
    .replace(/^(?:ERROR|FAILURE)[ :\d]*/, '')
    .replace(/[^\P{C}\t]/gu, '?')
    .trim()
    .slice(0, maxWords)
  const what = {
    'not-found': 'is not installed: install gdal-bin',
    'timed-out': 'took longer than TERRANE_MAX_TOOL_SECONDS allows',
    'output-too-large': 'wrote messages without end',
    failed: words === '' ? 'failed' : `failed: ${words}`,
  }[reason]
  return noTiles(`${program} ${what}`)
}
