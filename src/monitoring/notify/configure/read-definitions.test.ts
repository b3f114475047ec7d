import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { calculatedSteps } from '../model/steps.ts'
import { readDefinitions } from './read-definitions.ts'

const element = ['request.count', 'min_value', 1, 0, null, true, '0', 10, 3, ' Requests are lower than ']

describe('user thresholds', () => {
  it('are read from lists and from their JSON', () => {
    for (const given of [[element], JSON.stringify([element])]) {
      const { definitions, errors } = readDefinitions(given)
      assert.deepEqual(errors, [])
      assert.deepEqual(definitions, [
        {
          metric: 'request.count',
          option: 'min_value',
          description: 'Requests are lower than',
          bounds: {
            min: 0,
            max: 10,
            steps: 3,
            usesService: true,
            usesResource: false,
            usesLabel: false,
            usesOwsService: true,
          },
        },
      ])
    }
  })

  it('of any JSON are definitions or messages, both bounded', () => {
    const part = fc.oneof(fc.jsonValue(), fc.constantFrom(...element))
    const like = fc.array(fc.array(part, { minLength: 9, maxLength: 11 }), { maxLength: 120 })
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.string(), like), (given) => {
        const { definitions, errors } = readDefinitions(given)
        assert.ok(definitions.length + errors.length > 0)
        assert.ok(definitions.length <= 100 && errors.length <= 20)
        for (const { bounds } of definitions) assert.ok((calculatedSteps(bounds)?.length ?? 0) <= 1001)
        for (const message of errors) assert.ok(message.length < 300)
      }),
    )
  })

  it('that differ by one element from a right one are right or refused, never half read', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.jsonValue(), (at, value) => {
        const changed = element.map((one, index) => (index === at ? value : one))
        const { definitions, errors } = readDefinitions([changed])
        assert.equal(definitions.length, errors.length === 0 ? 1 : 0)
      }),
    )
  })
})
