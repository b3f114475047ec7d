import type { Clock } from '../../lib/clock.ts'
import type { FindCrsDefinition } from './crs-rows.ts'
import type { Writer } from './writer.ts'

/** What loads into a file need. */
export interface LoadSurroundings {
  path: string
  writer: Writer
  clock: Clock
  findDefinition: FindCrsDefinition
}
