import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { parseCql2Json } from '../../../src/filters/cql2-json.ts'
import { parseCql2Text } from '../../../src/filters/cql2-text.ts'
import type { Expression } from '../../../src/filters/expression.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { askFilter, cql2Predicates, cql2Stores, loadCql2, unpackCql2 } from '../../support/cql2-data.ts'
import { cql2JsonOf } from '../../support/cql2-json-of.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const run = promisify(execFile)

describe('the abstract tests of CQL2 on its test data (OGC 21-065r2, Annex A)', () => {
  let server: TestApp
  let folder: string
  const cleanups: (() => unknown)[] = []

  before(async () => {
    server = await createTestApp()
    folder = temporaryFolder({ after: (cleanup) => void cleanups.push(cleanup as () => unknown) })
    await unpackCql2(folder)
    await loadCql2(server, folder)
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
    await server.close()
  })

  async function requireItems(
    layer: string,
    filter: string,
    items: number,
    language = 'cql2-text',
  ): Promise<void> {
    const { status, text, json } = await askFilter(server, layer, filter, { 'filter-lang': language })
    assert.deepEqual([status, json['numberMatched']], [200, items], `${layer} ${filter} ${text}`)
  }

  for (const name of new Set(cql2Predicates.map((predicate) => predicate.class)))
    it(`/conf/${name}/test-data: each filter leaves as many items as the standard says`, async () => {
      for (const { collection, items, filter } of cql2Predicates.filter((one) => one.class === name))
        for (const store of cql2Stores) await requireItems(`${store}_${collection}`, filter, items)
    })

  it('/conf/cql2-json/validate: the same filters in JSON, valid by the schema, leave the same items', async () => {
    const schema = readFileSync(join(folder, 'cql2.json'), 'utf8')
    const names = schema.match(/"(?:[ast]_\w+|isNull|casei|accenti)"/g) ?? []
    const spelling = new Map(names.map((name) => [name.slice(1, -1).toLowerCase(), name.slice(1, -1)]))
    assert.equal(spelling.get('t_overlappedby'), 't_overlappedBy')
    const written = cql2Predicates.map(({ filter }) =>
      JSON.stringify(cql2JsonOf(parseCql2Text(filter), spelling)),
    )
    const child = run('/usr/bin/python3', [
      '-c',
      [
        'import json, sys, jsonschema',
        `check = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))`,
        'print(json.dumps([one for one in json.load(sys.stdin) if not check.is_valid(json.loads(one))]))',
      ].join('\n'),
      join(folder, 'cql2.json'),
    ])
    // In the schema an operand of isNull must match exactly one kind, but a property matches several, so none
    // is valid. The parts of a disjunction are also tested alone, and the schema needs much time for
    // disjunctions.
    child.child.stdin?.end(
      JSON.stringify(written.filter((one) => !one.includes('"isNull"') && !one.startsWith('{"op":"or"'))),
    )
    assert.deepEqual(JSON.parse((await child).stdout), [])
    for (const [at, { collection, items }] of cql2Predicates.entries())
      for (const store of cql2Stores)
        await requireItems(`${store}_${collection}`, written[at] as string, items, 'cql2-json')
  })

  it('reads the examples of the standard in both notations as one, and says which it does not offer', () => {
    const places = join(folder, 'examples')
    let [read, refused] = [0, 0]
    for (const name of readdirSync(places).filter((one) => one.endsWith('.txt'))) {
      const text = readFileSync(join(places, name), 'utf8').trim()
      const json = readFileSync(join(places, name.replace(/(?:-alt\d+)?\.txt$/, '.json')), 'utf8')
      const [inText, inJson] = [readOrCode(parseCql2Text, text), readOrCode(parseCql2Json, json)]
      assert.deepEqual(plain(inText), plain(inJson), `${name}: ${text}`)
      if (inText === 'unsupported-filter') refused += 1
      else read += 1
    }
    // Functions of other names and arrays.
    assert.deepEqual({ read, refused }, { read: 110, refused: 10 })
  })

  it('/conf/cql2-text/escaping: characters behind a backslash are those of the standard', () => {
    for (const [written, meant] of [
      ["'O''Brien'", "O'Brien"],
      ["'O\\'Brien'", "O'Brien"],
      ["'\\a\\b\\t\\n\\v\\f\\r'", '\x07\b\t\n\v\f\r'],
      ["'C:\\\\temp'", 'C:\\temp'],
      ["'50\\%'", '50\\%'],
      ["'\\\\'", '\\'],
    ] as const)
      assert.deepEqual(parseCql2Text(`a = ${written}`), {
        kind: 'call',
        op: '=',
        args: [
          { kind: 'property', name: 'a' },
          { kind: 'text', value: meant },
        ],
      })
    assert.throws(
      () => parseCql2Text("a = 'C:\\'"),
      /character 5, "'C:\\'": the text that begins here has no end/,
    )
  })
})

/** Returns the expression of a filter, or the code of the error. */
function readOrCode(parse: (filter: string) => Expression, filter: string): Expression | string {
  try {
    return parse(filter)
  } catch (error) {
    return (error as { code: string }).code
  }
}

/** Removes Z values and the signs of zeros, which no relation uses, and writes timestamps as numbers. */
function plain(written: Expression | string): unknown {
  if (typeof written === 'string') return written
  const text = JSON.stringify(cql2JsonOf(written, new Map()))
  return JSON.parse(text, (key, value: unknown) => {
    if (typeof value === 'number') return value + 0
    if (key === 'timestamp') return Date.parse(value as string)
    const isPosition = Array.isArray(value) && value.length === 3 && value.every(Number.isFinite)
    if (isPosition) return (value as number[]).slice(0, 2)
    const isMoment = typeof value === 'string' && /^\d{4}-.*Z$/.test(value)
    return isMoment ? Date.parse(value) : value
  }) as unknown
}
