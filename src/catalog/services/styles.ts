import type { Rights } from '../../access/index.ts'
import { conflict } from '../../core/errors/errors.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import { checkStyleDocument, readStyle, type StyleFormat } from '../../styles/index.ts'
import { defaultStyleName, defaultStyles } from '../../styles/worker.ts'
import type { LayerRecord, StyleRecord } from '../records.ts'
import { listLayers, updateLayer } from '../rows/layer-rows.ts'
import {
  deleteStyleRow,
  findStyle,
  getStyle,
  insertStyle,
  listStyles,
  resolveStyle,
  updateStyle,
} from '../rows/style-rows.ts'
import { layersDrawnBy } from '../rows/version-numbers.ts'
import { RowLookup } from './row-lookup.ts'
import type { WriteDeps } from './transaction.ts'
import { nowOf } from './transaction.ts'

/** The document of a style, in one of the formats. */
export interface StyleDocument {
  format: StyleFormat
  document: string
}

/** A new style, under an unused name. */
export interface NewStyle {
  /** Undefined for a global style. */
  workspace: string | undefined
  name: string
  /** Absent: the default style for any geometry. */
  content?: StyleDocument | undefined
}

/** Style that a style created without a document uses. */
const plainStyle = 'generic'
/** Maximum number of cached styles, whose documents may be long. */
const rememberedStyles = 100

/** Styles: global ones, and those of workspaces, which take precedence there. */
export class Styles {
  readonly #deps: WriteDeps

  /** Cached by workspace and name, since every raster tile resolves a style. */
  readonly #resolved: RowLookup<StyleRecord | undefined, string>

  constructor(deps: WriteDeps) {
    this.#deps = deps
    const find = (db: WriteDeps['database']['kysely'], key: string): Promise<StyleRecord | undefined> => {
      const [workspace, name] = JSON.parse(key) as [string, string]
      return resolveStyle(db, workspace, name)
    }
    this.#resolved = new RowLookup(deps.database, find, rememberedStyles)
  }

  /** Lists global styles, or those of one workspace. */
  list(workspace?: string): Promise<StyleRecord[]> {
    return listStyles(this.#deps.database.kysely, workspace)
  }

  find(workspace: string | undefined, name: string): Promise<StyleRecord | undefined> {
    return findStyle(this.#deps.database.kysely, workspace, name)
  }

  /** Throws `Failure` (`not-found`) for a name that does not exist. */
  get(workspace: string | undefined, name: string): Promise<StyleRecord> {
    return getStyle(this.#deps.database.kysely, workspace, name)
  }

  /**
   * Returns the style that a layer of `workspace` refers to by `name`: that of its workspace, else the global
   * one.
   */
  resolve(workspace: string, name: string): Promise<StyleRecord | undefined> {
    return this.#resolved.get(JSON.stringify([workspace, name]))
  }

  /** True if a style draws a layer that a caller with these rights may read. */
  async drawsReadableLayer(
    style: Pick<StyleRecord, 'workspace' | 'name'>,
    rights: Pick<Rights, 'can'>,
  ): Promise<boolean> {
    const drawn = await layersDrawnBy(this.#deps.database.kysely, style)
    return drawn.some((layer) => rights.can('read', layer))
  }

  /** Creates a style. Throws `Failure` for an invalid document, and for a name in use. */
  async create({ workspace, name, content }: NewStyle): Promise<StyleRecord> {
    const plain = defaultStyles.find((style) => style.name === plainStyle)
    const { format, document } = content ?? plain ?? { format: 'maplibre', document: '{}' }
    requireStyle({ format, document })
    const values = { name, format, document, workspace }
    const at = nowOf(this.#deps.clock)
    await this.#deps.database.transaction((db) => insertStyle(db, values, at))
    return this.get(workspace, name)
  }

  /** Replaces the document of a style, if given; the layers that it draws get new versions. */
  async change(style: StyleRecord, content: StyleDocument | undefined): Promise<StyleRecord> {
    if (content !== undefined) {
      requireStyle(content)
      const change = { ...content, at: nowOf(this.#deps.clock) }
      await this.#deps.database.transaction(async (db) => {
        await updateStyle(db, style, change)
        passStep('change.written')
      })
    }
    return this.get(style.workspace, style.name)
  }

  /**
   * Deletes an unused style; `recurse` assigns a default style to its layers. Default styles cannot be
   * deleted.
   */
  async delete(style: StyleRecord, { recurse }: { recurse: boolean }): Promise<void> {
    if (style.workspace === undefined && defaultStyles.some(({ name }) => name === style.name))
      throw conflict('default-style', `Style "${style.name}" is a default style and stays`)
    await this.#deps.database.transaction(async (db) => {
      const layers = await listLayers(db)
      const users = layers.filter((layer) => isUsed(style, layer))
      if (users.length > 0 && !recurse) throw inUse(style, users)
      const update = { at: nowOf(this.#deps.clock), cause: 'style' as const }
      for (const layer of users) await updateLayer(db, withDefaultStyle(layer), update)
      await deleteStyleRow(db, style.id)
      for (const layer of layers.filter(({ details }) => details.styles?.includes(style.name))) {
        if ((await resolveStyle(db, layer.workspace, style.name)) !== undefined) continue
        const drawn = users.includes(layer) ? withDefaultStyle(layer) : layer
        await updateLayer(db, withoutStyle(drawn, style.name), update)
      }
    })
  }
}

/** Throws `Failure` (`invalid`) for a document that is invalid or too large. */
function requireStyle(content: StyleDocument): void {
  checkStyleDocument(content.format, content.document)
  readStyle(content)
}

function inUse(style: StyleRecord, users: LayerRecord[]): Error {
  const names = users.map((layer) => `${layer.workspace}:${layer.name}`).slice(0, 20)
  return conflict(
    'style-in-use',
    `Style "${style.name}" is used by ${names.join(', ')}; recurse=true gives them a default style`,
  )
}

function isUsed(style: StyleRecord, layer: LayerRecord): boolean {
  return (
    layer.details.style === style.name &&
    (style.workspace === undefined || style.workspace === layer.workspace)
  )
}

function withoutStyle(layer: LayerRecord, name: string): LayerRecord {
  const styles = layer.details.styles?.filter((one) => one !== name) ?? []
  return { ...layer, details: { ...layer.details, styles } }
}

function withDefaultStyle(layer: LayerRecord): LayerRecord {
  const { kind, schema } = layer.details
  return { ...layer, details: { ...layer.details, style: defaultStyleName(schema.geometry?.type, kind) } }
}
