import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hideLayers } from './hide-layers.ts'

describe('metrics of layers', () => {
  it('are summed for layers that the caller may not read', async () => {
    const text = [
      '# TYPE terrane_layer_requests_total counter',
      'terrane_layer_requests_total{layer="ws:a"} 2',
      'terrane_layer_requests_total{layer="ws:hidden"} 3',
      'terrane_layer_requests_total{layer="ws:h\\"x\\"} 1"} 4',
      'terrane_layer_requests_total{layer="other"} 5',
      'terrane_requests_total{method="GET"} 14',
      '',
    ].join('\n')
    const shown = await hideLayers(text, async (layer) => layer === 'ws:a')
    assert.deepEqual(shown.split('\n'), [
      '# TYPE terrane_layer_requests_total counter',
      'terrane_layer_requests_total{layer="ws:a"} 2',
      'terrane_layer_requests_total{layer="(not shown)"} 7',
      'terrane_layer_requests_total{layer="other"} 5',
      'terrane_requests_total{method="GET"} 14',
      '',
    ])
    assert.equal(await hideLayers(text, async () => true), text)
  })
})
