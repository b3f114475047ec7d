import { conflict, Failure, notFound } from '../../core/errors/errors.ts'
import { laterThan } from '../../core/time/later-than.ts'
import type { MapDocument, SavedMap } from '../records.ts'
import { countMaps, deleteMap, findMap, insertMap, listMaps, updateMap } from '../rows/map-rows.ts'
import { checkName } from '../rows/workspace-rows.ts'
import type { WriteDeps } from './transaction.ts'
import { nowOf } from './transaction.ts'

/** Values of a map that a user saves. */
export interface MapValues extends MapDocument {
  title: string
  isPublic: boolean
}

/** Maximum number of maps: more would make the list slow and useless. */
const maxMaps = 10_000

/** Maps of several layers that users have saved. A map gives no right to read its layers. */
export class SavedMaps {
  readonly #deps: Pick<WriteDeps, 'database' | 'clock'>

  constructor(deps: Pick<WriteDeps, 'database' | 'clock'>) {
    this.#deps = deps
  }

  /** Lists all maps by name. */
  listAll(): Promise<SavedMap[]> {
    return listMaps(this.#deps.database.kysely)
  }

  /** Lists the public maps and those of a user by name. */
  listFor(user: string | undefined): Promise<SavedMap[]> {
    return listMaps(this.#deps.database.kysely, { name: user })
  }

  find(name: string): Promise<SavedMap | undefined> {
    return findMap(this.#deps.database.kysely, name)
  }

  /** Creates a map. Throws `Failure` for an invalid name, a name in use, and if there are too many maps. */
  async create(name: string, owner: string | undefined, values: MapValues): Promise<SavedMap> {
    checkName('Map', name)
    const at = nowOf(this.#deps.clock)
    const map: SavedMap = { ...values, name, owner, createdAt: at, updatedAt: at }
    await this.#deps.database.transaction(async (db) => {
      if ((await countMaps(db)) >= maxMaps)
        throw conflict('too-many-maps', `There are ${maxMaps} saved maps already: delete one`)
      if (!(await insertMap(db, map))) throw conflict('map-exists', `Map "${name}" exists already`)
    })
    return map
  }

  /** Replaces a map. Throws `Failure` (`changed-meanwhile`) if it has changed since it was read. */
  async change(map: SavedMap, values: MapValues): Promise<SavedMap> {
    const updatedAt = laterThan(map.updatedAt, this.#deps.clock.now())
    const changed: SavedMap = { ...map, ...values, updatedAt }
    if (await updateMap(this.#deps.database.kysely, changed, map)) return changed
    if ((await this.find(map.name)) === undefined) throw unknownMap(map.name)
    const text = `Map "${map.name}" was changed meanwhile: read it again`
    throw new Failure('precondition', 'changed-meanwhile', text)
  }

  async delete({ name }: Pick<SavedMap, 'name'>): Promise<void> {
    await deleteMap(this.#deps.database.kysely, name)
  }
}

/** The error for a map that does not exist, or that the caller may not read. */
export function unknownMap(name: string): Failure {
  return notFound('unknown-map', `Map "${name.slice(0, 200)}" does not exist`)
}
