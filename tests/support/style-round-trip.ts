import assert from 'node:assert/strict'
import { drawnSymbols } from '../../src/styles/evaluate.ts'
import type { Rule, Style } from '../../src/styles/model.ts'
import type { StyleLanguage } from '../../src/styles/style-language.ts'
import { samples } from './styled-features.ts'

/** Symbols that a style draws for the samples at four scales, in a form that can be compared. */
function drawing(style: Style): unknown[] {
  return [100, 5000, 1e6, 1e8].flatMap((scale) =>
    samples.map(({ id, ...attributes }) => {
      const drawn = {
        dimension: 2 as const,
        id,
        get: (name: string) => (attributes as Record<string, unknown>)[name],
        boxIn: () => [5, 5, 6, 6] as [number, number, number, number],
      }
      return drawnSymbols(style, drawn, scale).map((one) =>
        JSON.stringify(one.symbol, (_, value: unknown) =>
          typeof value === 'number' ? Math.fround(value) : value,
        )
          .split('')
          .sort()
          .join(''),
      )
    }),
  )
}

/**
 * Writes rules in a language. Returns `yes` if the document reads back equal, `told` if it lists what it
 * omits, `none` if the language has no document for them; fails otherwise.
 */
export function roundTrip(rules: Rule[], language: StyleLanguage, name: string): 'yes' | 'told' | 'none' {
  const style = { rules, lost: [] }
  const written = language.write(style, 'x')
  if (written === undefined) return 'none'
  language.check(written.document)
  if (written.lost.length > 0) return 'told'
  const back = language.read(written.document)
  assert.deepEqual(
    back && drawing(back),
    drawing(style),
    `${language.format} loses ${name} without a message`,
  )
  assert.equal(back?.rules.at(-1)?.title ?? '', rules.at(-1)?.title ?? '', name)
  return 'yes'
}
