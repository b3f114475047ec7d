import type { Clock } from '../../lib/clock.ts'
import type { FindCrsDefinition } from './crs-rows.ts'
import type { Writer } from './writer.ts'

/** Dependencies of loads into a file. */
export interface LoadSurroundings {
  path: string
  writer: Writer
  clock: Clock
  findDefinition: FindCrsDefinition
}
