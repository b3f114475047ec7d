import type { DatabaseSync } from 'node:sqlite'
import { conflict } from '../../../core/errors/errors.ts'
import { findTable } from '../../../formats/geopackage/index.ts'
import { findChange } from '../contents.ts'
import type { RegisteredSnapshot } from './snapshot-registry.ts'
import { allSnapshots, contentOf, getSnapshot } from './snapshot-registry.ts'
import { tallyRows } from './table-size.ts'

/** Path from the present table, or from a whole state, via differences to the requested state. */
export interface Path {
  whole: RegisteredSnapshot | undefined
  differences: RegisteredSnapshot[]
}

/**
 * Returns the path to a state, by what each difference applies to; throws `Failure` if there is none any
 * more.
 */
export function findPath(db: DatabaseSync, table: string, id: string): Path {
  const meant = getSnapshot(db, id)
  const lastChange = findChange(db, table)
  const present = lastChange === undefined ? undefined : contentOf(db, table, lastChange)
  const path = search(meant, { all: allSnapshots(db), present, seen: new Set() })
  if (path === undefined) {
    throw conflict(
      'not-restorable',
      `The table "${table}" was changed by others since the state "${id}" was kept`,
    )
  }
  const [first] = path.differences
  if (path.whole === undefined && first !== undefined) requireUntouched(db, table, first)
  return path
}

interface Search {
  all: RegisteredSnapshot[]
  /** Present content id of the table. */
  present: string | undefined
  seen: Set<string>
}

/** The same contents may be retained in several states, and not all of them lead to the target. */
function search(state: RegisteredSnapshot, { all, present, seen }: Search): Path | undefined {
  if (state.form === 'whole') return { whole: state, differences: [] }
  if (state.base === present) return { whole: undefined, differences: [state] }
  seen.add(state.id)
  for (const next of all) {
    if (next.content !== state.base || seen.has(next.id)) continue
    const path = search(next, { all, present, seen })
    if (path !== undefined) return { ...path, differences: [...path.differences, state] }
  }
  return undefined
}

/** Some programs write to a table without updating the catalogue. */
function requireUntouched(db: DatabaseSync, name: string, { after, id, table }: RegisteredSnapshot): void {
  const now = findTable(db, name)
  const columns = (columnsOf: typeof now): string => JSON.stringify(columnsOf?.columns)
  if (now !== undefined && columns(now) === columns(table as typeof now) && tallyRows(db, now) === after)
    return
  throw conflict(
    'not-restorable',
    `The table "${name}" was changed by others since the state "${id}" was kept`,
  )
}
