import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { takesProcessorSeconds } from '../../../../tests/support/processor-time.ts'
import { parseExposition, parseLine } from './exposition.ts'

function read(text: string, ...names: string[]): [name: string, labels: object, value: number][] {
  const { samples } = parseExposition(text, new Set(names))
  return samples.map(({ name, labels, value }) => [name, Object.fromEntries(labels), value])
}

describe('the Prometheus text format', () => {
  it('gives the samples whose names are wanted', () => {
    const text = `# HELP a Help of a with "quotes" and {braces}
# TYPE a gauge
a 1
# TYPE b counter
b{mode="user",cpu="0"} 2.5e3 1700000000000
ab 3
b{mode="idle",cpu="0"} 4
`
    assert.deepEqual(read(text, 'a', 'b'), [
      ['a', {}, 1],
      ['b', { mode: 'user', cpu: '0' }, 2500],
      ['b', { mode: 'idle', cpu: '0' }, 4],
    ])
  })

  for (const [line, labels, value] of [
    ['a{x="q\\"b\\\\n\\nz"} 1', { x: 'q"b\\n\nz' }, 1],
    ['a{x="\\d"} 1', { x: '\\d' }, 1],
    ['a{x="},y=\\"1\\""} 1', { x: '},y="1"' }, 1],
    ['a { x = "1" , y = "2" , } 1', { x: '1', y: '2' }, 1],
    ['a{} 1', {}, 1],
    ['a{x=""} 1', { x: '' }, 1],
    ['  a\t7', {}, 7],
    ['a 1\r', {}, 1],
    ['a -.5', {}, -0.5],
    ['a +Inf', {}, Number.POSITIVE_INFINITY],
    ['a -Inf 12', {}, Number.NEGATIVE_INFINITY],
    ['a NaN', {}, Number.NaN],
    ['a Nan', {}, Number.NaN],
    ['a 1 1700000000.123', {}, 1],
    ['a 17 # {trace_id="KOO5S4vxi0o"} 0.67', {}, 17],
    ['a{le="1"} 17 1700000000 # {trace_id="}"} 0.67 1.2', { le: '1' }, 17],
  ] as const) {
    it(`reads ${JSON.stringify(line)}`, () => {
      const sample = parseLine(line)
      assert.deepEqual([sample?.name, Object.fromEntries(sample?.labels ?? [])], ['a', labels])
      assert.equal(sample?.value, value)
    })
  }

  for (const line of [
    'a',
    'a one',
    'a 1 2 3',
    'a 0x10',
    'a{x="1"',
    'a{x="1} 1',
    'a{x=1} 1',
    'a{x="1" y="2"} 1',
    'a{x="1",x="2"} 1',
    'a{,} 1',
    '{x="1"} 1',
    '1a 1',
    'a{x="1"}',
    `a{${Array.from({ length: 100 }, (_, index) => `l${index}="x"`).join()}} 1`,
  ]) {
    it(`leaves out ${JSON.stringify(line.slice(0, 40))}, and only that line`, () => {
      assert.equal(parseLine(line), undefined)
      assert.deepEqual(read(`a 1\n${line}\na 2`, 'a'), [
        ['a', {}, 1],
        ['a', {}, 2],
      ])
    })
  }

  it('counts wanted lines that cannot be read', () => {
    assert.equal(parseExposition('a x\nb x\n#a x\n\na 1', new Set(['a'])).badLines, 1)
  })

  it('reads back what it was written from', () => {
    const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]*$/)
    const escaped = (text: string): string =>
      text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.string({ unit: 'binary' }), { maxKeys: 8, noNullPrototype: true }),
        fc.double().filter((value) => !Object.is(value, -0)),
        (labels, value) => {
          const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`)
          const sample = parseLine(`metric{${pairs.join(',')}} ${value}`.replace('Infinity', 'Inf'))
          assert.deepEqual({ ...Object.fromEntries(sample?.labels ?? []) }, { ...labels })
          assert.equal(sample?.value, value)
        },
      ),
    )
  })

  it('does not stumble over any text', () => {
    const piece = fc.constantFrom('a', '{', '}', '"', '\\', ',', '=', ' ', '#', '\n', '\u2028', '1', 'e', '.')
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'binary' }))), (pieces) => {
        parseExposition(`a${pieces.join('')}`, new Set(['a']))
      }),
    )
  })

  it('takes time in proportion to the text, whatever it holds', () =>
    takesProcessorSeconds(10, () => {
      const long = 60_000
      for (const piece of ['#', '\\', '\\"', '"', '{', 'x="', 'x="",', ' ', '1', '1 ', '#\u2028']) {
        const text = `a ${piece.repeat(long / piece.length)}\u2028 x`
        parseExposition(`${text}\na{${piece.repeat(long / piece.length)}\n`.repeat(20), new Set(['a']))
      }
    }))
})
