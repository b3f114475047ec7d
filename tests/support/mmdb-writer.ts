/** Value of a record in a test's MMDB file. */
export type MmdbValue = string | number | MmdbValue[] | { [key: string]: MmdbValue }

const dataSeparator = Buffer.alloc(16)
const metadataMarker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')])
const bits = 128

interface Node {
  children: [Node | number | undefined, Node | number | undefined]
}

/**
 * A small MMDB file (version 2.0, IPv6 tree with 32-bit records) with a record for each network, such as
 * `203.0.113.0/24` or `2001:db8::/32`.
 */
export function writeMmdb(records: Record<string, MmdbValue>): Buffer {
  const root: Node = { children: [undefined, undefined] }
  const data: Buffer[] = []
  let size = 0
  for (const [network, value] of Object.entries(records)) {
    insert(root, network, size)
    const bytes = encode(value)
    data.push(bytes)
    size += bytes.length
  }
  const nodes = listNodes(root)
  const numbers = new Map(nodes.map((node, at) => [node, at]))
  const tree = Buffer.alloc(nodes.length * 8)
  for (const [at, { children }] of nodes.entries()) {
    for (const [side, child] of children.entries()) {
      const record =
        child === undefined
          ? nodes.length
          : typeof child === 'number'
            ? nodes.length + 16 + child
            : (numbers.get(child) ?? 0)
      tree.writeUInt32BE(record, at * 8 + side * 4)
    }
  }
  return Buffer.concat([tree, dataSeparator, ...data, metadataMarker, encode(metadata(nodes.length))])
}

function metadata(nodeCount: number): MmdbValue {
  return {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'Test-City',
    description: { en: 'Test' },
    ip_version: 6,
    languages: ['en'],
    node_count: nodeCount,
    record_size: 32,
  }
}

function insert(root: Node, network: string, value: number): void {
  const [address = '', prefix = ''] = network.split('/')
  const isV4 = address.includes('.')
  const path = isV4 ? v4Bits(address) : v6Bits(address)
  const length = Number(prefix) + (isV4 ? 96 : 0)
  let node = root
  for (const [depth, bit] of path.slice(0, length).entries()) {
    if (depth === length - 1) node.children[bit as 0 | 1] = value
    else node = descend(node, bit as 0 | 1)
  }
}

function descend(node: Node, bit: 0 | 1): Node {
  const child = node.children[bit]
  if (typeof child === 'object') return child
  const made: Node = { children: [undefined, undefined] }
  node.children[bit] = made
  return made
}

function v4Bits(address: string): number[] {
  const parts = address.split('.').map((part) => Number(part).toString(2).padStart(8, '0'))
  return [...'0'.repeat(96), ...parts.join('')].map(Number)
}

function v6Bits(address: string): number[] {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const missing = bits / 16 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...new Array<string>(missing).fill('0'), ...groups(tail)]
  const text = all.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('')
  return [...text].map(Number)
}

function listNodes(root: Node): Node[] {
  const nodes = [root]
  for (const node of nodes) {
    for (const child of node.children) if (typeof child === 'object') nodes.push(child)
  }
  return nodes
}

const types = { text: 2, double: 3, uint32: 6, map: 7, array: 11 }

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([control(types.text, text.length), text])
  }
  if (typeof value === 'number') return encodeNumber(value)
  if (Array.isArray(value)) return Buffer.concat([control(types.array, value.length), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([control(types.map, entries.length), ...entries.flat().map((one) => encode(one))])
}

function encodeNumber(value: number): Buffer {
  const isWhole = Number.isInteger(value) && value >= 0
  const bytes = Buffer.alloc(isWhole ? 4 : 8)
  if (isWhole) bytes.writeUInt32BE(value)
  else bytes.writeDoubleBE(value)
  return Buffer.concat([control(isWhole ? types.uint32 : types.double, bytes.length), bytes])
}

function control(type: number, size: number): Buffer {
  if (size >= 29) {
    const head = control(type, 29)
    if (size - 29 > 255) throw new Error('Values of tests are short')
    return Buffer.concat([head, Buffer.from([size - 29])])
  }
  return type > 7 ? Buffer.from([size, type - 7]) : Buffer.from([(type << 5) | size])
}
