import type { GeoPackageTable } from '../../../formats/geopackage/tables.ts'
import { conflict } from '../../../lib/errors.ts'
import type { FeaturePage, StatePath } from '../../store.ts'
import type { Reading } from '../reading/reading.ts'
import { TableReader } from '../reading/table-reader.ts'
import { getKept, keptTable } from './kept-registry.ts'

/** The rows of a state in the order of their ids, from one state of the file. */
export async function* readState(
  reading: Reading,
  { states }: { table: string; states: StatePath },
  signal: AbortSignal,
): AsyncGenerator<FeaturePage> {
  yield* reading.stream(({ db }) => {
    const [first, ...others] = states.map(({ id }) => getKept(db, id))
    if (first === undefined || others.length > 0 || first.form !== 'whole') {
      throw conflict('not-restorable', 'Only whole states can be read')
    }
    const table: GeoPackageTable = { ...first.table, name: keptTable(first.number) }
    return new TableReader(db, table).pages({ table: table.name, limit: Number.MAX_SAFE_INTEGER, offset: 0 })
  }, signal)
}
