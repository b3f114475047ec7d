import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseMediaType } from './media-ranges.ts'

const offers = [
  ['application/geo+json; charset=utf-8', 'application/json'],
  ['text/csv; charset=utf-8'],
  ['application/fg+json'],
  ['text/html'],
]
const firefox = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

function choose(accept: string | undefined, from = offers): string | undefined {
  const place = chooseMediaType(from, accept)
  return place === undefined ? undefined : from[place]?.[0]?.split(';', 1)[0]
}

describe('media ranges', () => {
  for (const [accept, expected] of [
    [undefined, 'application/geo+json'],
    ['', 'application/geo+json'],
    ['nonsense, ;;, text', 'application/geo+json'],
    ['*/*', 'application/geo+json'],
    ['application/*', 'application/geo+json'],
    ['application/json', 'application/geo+json'],
    ['APPLICATION/GEO+JSON', 'application/geo+json'],
    ['text/csv', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/csv, */*', 'text/csv'],
    ['text/csv;q=0.5, */*;q=0.6', 'application/geo+json'],
    ['text/csv;header=present', 'text/csv'],
    ['application/fg+json, application/geo+json;q=0.9', 'application/fg+json'],
    ['application/geo+json;q=0, */*', 'text/csv'],
    ['application/geo+json;q=0, application/json;q=0, */*;q=0.1', 'text/csv'],
    ['text/csv;q=2, text/html', 'text/html'],
    [firefox, 'text/html'],
    ['image/png', undefined],
    ['text/csv;q=0', undefined],
    ['application/gml+xml, image/*;q=0.8', undefined],
  ] as const) {
    it(`gives ${expected ?? 'nothing'} for ${JSON.stringify(accept)}`, () => {
      // A type refused under one of its names is still available under the other.
      const from =
        accept?.startsWith('application/geo+json;q=0, */*') === true
          ? offers.map(([one]) => [one ?? ''])
          : offers
      assert.equal(choose(accept, from), expected)
    })
  }

  it('gives a browser what there is without a page', () => {
    assert.equal(choose(firefox, offers.slice(0, 3)), 'application/geo+json')
  })
})
