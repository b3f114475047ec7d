import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { call } from '../../filters/expression.ts'
import { attribute, negation } from '../condition.ts'
import { marks } from './marks.ts'
import { drawnThings, notInPictures } from './supported-styling.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/pictures.md'), 'utf8')

it('the page about pictures has the same table as the code, and names every icon', () => {
  const lines = drawnThings.map(
    ({ what, legend, thumbnail, instead = '' }) => `| ${what} | ${legend} | ${thumbnail} | ${instead} |`,
  )
  assert.ok(page.includes(lines.join('\n')), lines.join('\n'))
  for (const name of Object.keys(marks)) assert.ok(page.includes(`\`${name}\``), name)
})

it('what a style says and pictures do not draw is told', () => {
  const fill = { color: '#000000', opacity: 1 }
  assert.deepEqual(notInPictures({ rules: [{ symbols: [{ kind: 'polygon', fill }] }], lost: [] }), [])
  const reported = notInPictures({
    lost: [],
    rules: [
      {
        condition: negation(
          call('s_intersects', attribute('geometry'), { kind: 'box', sides: [0, 0, 1, 1] }),
        ),
        symbols: [
          { kind: 'text', label: [{ property: 'a' }], size: 10, color: '#000000', opacity: 1 },
          { kind: 'icon', href: 'a.svg', opacity: 1 },
          {
            kind: 'line',
            stroke: { color: { by: 'attribute', property: 'c' }, width: 1, opacity: 1 },
            offset: 2,
          },
        ],
      },
    ],
  })
  assert.deepEqual(
    reported.map((text) => text.replace(/:.*/, '')),
    [
      'values that are the attribute itself',
      'filters by a box',
      'labels',
      'pictures from elsewhere',
      'lines beside the geometry',
    ],
  )
})
