import { describe } from 'node:test'
import { describeCreate } from './store-create.ts'
import { describeFailures } from './store-failures.ts'
import { describeGeometryNames } from './store-geometry-names.ts'
import { describeMemory } from './store-memory.ts'
import { describeReading } from './store-reading.ts'
import type { MakeStore } from './store-session.ts'
import { describeUpdates } from './store-updates.ts'

export type { MakeStore } from './store-session.ts'

/** What every vector store promises, run over a fresh one for each test. */
export function describeStoreContract(name: string, make: MakeStore): void {
  describe(`${name} store`, () => {
    describeCreate(make)
    describeGeometryNames(make)
    describeUpdates(make)
    describeFailures(make)
    describeReading(make)
    describeMemory(make)
  })
}
