import { RtreePacker } from './rtree-packer.ts'
import type { DatabaseFile } from './sqlite-file/database-file.ts'
import { integerSerial, serialBytes, serialDouble, writeInteger } from './sqlite-file/serial-type.ts'
import type { SqliteTableWriter } from './sqlite-file/table-writer.ts'
import { varintBytes, writeVarint } from './sqlite-file/varint.ts'

/**
 * Staged rows of the R*Tree. With a page size: the rows of its three tables (`rtree_node`, `rtree_rowid`,
 * `rtree_parent`), ready to be copied. Without: a table `boxes` of entries to be inserted.
 */
export class StagedBoxes {
  readonly #packer: RtreePacker | undefined
  readonly #boxes: SqliteTableWriter | undefined

  constructor(side: DatabaseFile, pageSize: number | undefined) {
    if (pageSize === undefined) {
      this.#boxes = side.table('boxes', 'id INTEGER PRIMARY KEY, minx REAL, maxx REAL, miny REAL, maxy REAL')
      return
    }
    const nodes = side.table('rtree_node', 'nodeno INTEGER PRIMARY KEY, data')
    const leaves = side.table('rtree_rowid', 'rowid INTEGER PRIMARY KEY, nodeno')
    const parents = side.table('rtree_parent', 'nodeno INTEGER PRIMARY KEY, parentnode')
    const sink = {
      node: (number: number, bytes: Uint8Array) => writeBlobRow(nodes, number, bytes),
      leafOf: (id: number, node: number) => writeIntegerRow(leaves, id, node),
      parentOf: (node: number, parent: number) => writeIntegerRow(parents, node, parent),
    }
    this.#packer = new RtreePacker(sink, pageSize)
  }

  add(id: number, minX: number, minY: number, maxX: number, maxY: number): void {
    this.#packer?.add(id, minX, minY, maxX, maxY)
    if (this.#boxes !== undefined) writeBoxRow(this.#boxes, id, minX, maxX, minY, maxY)
  }

  /** Returns node 1 of the packed tree. */
  finish(): Uint8Array | undefined {
    return this.#packer?.finish()
  }
}

function writeBlobRow(table: SqliteTableWriter, id: number, value: Uint8Array): void {
  const serial = value.length * 2 + 12
  const head = 2 + varintBytes(serial)
  table.startRow(id, head + value.length)
  table.bytes[table.at] = head
  table.bytes[table.at + 1] = 0
  table.bytes.set(value, writeVarint(table.bytes, table.at + 2, serial))
  table.endRow()
}

function writeIntegerRow(table: SqliteTableWriter, id: number, value: number): void {
  const serial = integerSerial(value)
  table.startRow(id, 3 + serialBytes(serial))
  const { at, bytes, view } = table
  bytes[at] = 3
  bytes[at + 1] = 0
  bytes[at + 2] = serial
  writeInteger(view, at + 3, serial, Math.floor(value / 4_294_967_296), value | 0)
  table.endRow()
}

function writeBoxRow(table: SqliteTableWriter, id: number, ...sides: [number, number, number, number]): void {
  table.startRow(id, 6 + 32)
  const { at, bytes, view } = table
  bytes[at] = 6
  bytes[at + 1] = 0
  for (let side = 0; side < 4; side += 1) {
    bytes[at + 2 + side] = serialDouble
    view.setFloat64(at + 6 + side * 8, sides[side] as number)
  }
  table.endRow()
}
