import type { LeafCursor } from './leaf-cursor.ts'
import { damaged, tooLarge } from './parquet-error.ts'
import type { ParquetNode } from './parquet-file.ts'

const maxEntries = 1_000_000

/** Functions that build nested values. */
export interface Making<T> {
  leaf(cursor: LeafCursor): T
  nothing: T
  list(items: T[]): T
  struct(names: readonly string[], items: T[]): T
}

/** The entries of one leaf column that belong to one row. */
interface Entries<T> {
  definitions: number[]
  repetitions: number[]
  values: T[]
  at: number
}

/** Assembles the rows of a nested column from the entries of its leaves ("Nested Encoding" of Parquet). */
export class RowAssembler<T> {
  readonly #node: ParquetNode
  readonly #cursors: LeafCursor[]
  readonly #making: Making<T>
  readonly #wrappers: Set<ParquetNode>
  /** For each leaf: true if the cursor already is at the first entry of the next row. */
  readonly #isAhead: boolean[]
  readonly #hasValue: boolean[]
  #entries: Entries<T>[] = []

  /** `cursors` are those of the leaves below `node`, in order. */
  constructor(node: ParquetNode, cursors: LeafCursor[], making: Making<T>) {
    this.#node = node
    this.#cursors = cursors
    this.#making = making
    this.#wrappers = findWrappers(node)
    this.#isAhead = cursors.map(() => false)
    this.#hasValue = cursors.map(() => false)
  }

  /** Returns the next row, and how many entries it used; undefined after the last. */
  async next(): Promise<{ value: T; size: number } | undefined> {
    this.#entries = []
    for (const index of this.#cursors.keys()) {
      const entries = await this.#gather(index)
      if (entries === undefined) return undefined
      this.#entries.push(entries)
    }
    const value = this.#content(this.#node)
    let size = 0
    for (const { at, values } of this.#entries) {
      if (at !== values.length) throw damaged(`the nesting of column "${this.#node.path}" does not fit`)
      size += at
    }
    return { value, size }
  }

  async #gather(index: number): Promise<Entries<T> | undefined> {
    const cursor = this.#cursors[index] as LeafCursor
    const entries: Entries<T> = { definitions: [], repetitions: [], values: [], at: 0 }
    for (;;) {
      if (!this.#isAhead[index]) {
        if (cursor.ready === 0 && !(await cursor.load()))
          return entries.values.length > 0 ? entries : undefined
        this.#hasValue[index] = cursor.step()
        if (entries.values.length > 0 && cursor.repetition === 0) {
          this.#isAhead[index] = true
          return entries
        }
      }
      this.#isAhead[index] = false
      entries.definitions.push(cursor.definition)
      entries.repetitions.push(cursor.repetition)
      entries.values.push(this.#hasValue[index] ? this.#making.leaf(cursor) : this.#making.nothing)
      if (entries.values.length > maxEntries) {
        throw tooLarge(`A row has more than ${maxEntries} values in column "${cursor.node.path}"`)
      }
    }
  }

  #first(node: ParquetNode): Entries<T> {
    return this.#entries[node.leaf - this.#node.leaf] as Entries<T>
  }

  #content(node: ParquetNode): T {
    const definition = this.#definition(node)
    if (node.element.repetition_type === 'REPEATED') return this.#items(node, definition)
    if (definition < node.maxDefinition) return this.#skip(node)
    return this.#single(node)
  }

  #definition(node: ParquetNode): number {
    const { definitions, at } = this.#first(node)
    const definition = definitions[at]
    if (definition === undefined) throw damaged(`the nesting of column "${this.#node.path}" does not fit`)
    return definition
  }

  #items(node: ParquetNode, definition: number): T {
    const items: T[] = []
    if (definition < node.maxDefinition) this.#skip(node)
    else {
      const first = this.#first(node)
      do items.push(this.#single(node))
      while (first.repetitions[first.at] === node.maxRepetition)
    }
    return this.#making.list(items)
  }

  /** Builds one occurrence of a node that is present. */
  #single(node: ParquetNode): T {
    const { children } = node
    if (children.length === 0) {
      const entries = this.#first(node)
      const value = entries.values[entries.at] as T
      entries.at += 1
      return value
    }
    const parts = children.map((child) => this.#content(child))
    if (this.#wrappers.has(node)) return parts[0] as T
    return this.#making.struct(
      children.map((child) => child.name),
      parts,
    )
  }

  /** Skips a node that is null or has no items. */
  #skip(node: ParquetNode): T {
    if (node.children.length === 0) this.#first(node).at += 1
    for (const child of node.children) this.#skip(child)
    return this.#making.nothing
  }
}

/**
 * Finds groups that only wrap others: lists and maps are a group around a repeated group, and that of a list
 * around the item ("Nested Types" of the logical types, with the older forms of lists).
 */
function findWrappers(node: ParquetNode, found = new Set<ParquetNode>()): Set<ParquetNode> {
  const kind = node.element.logical_type?.type ?? node.element.converted_type
  const [only, more] = node.children
  const isWrapped = only?.element.repetition_type === 'REPEATED' && more === undefined
  if (isWrapped && (kind === 'LIST' || kind === 'MAP')) found.add(node)
  const isOwnItem = only === undefined || only.name === 'array' || only.name.endsWith('_tuple')
  if (isWrapped && kind === 'LIST' && !isOwnItem && only.children.length === 1) found.add(only)
  for (const child of node.children) findWrappers(child, found)
  return found
}
