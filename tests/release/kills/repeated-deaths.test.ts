import { describe, it } from 'node:test'
import { killTargets } from '../../support/kills/loads.ts'
import { givesUp } from '../../support/kills/repeated-deaths.ts'

describe('a load with which the server dies three times', { concurrency: true }, () => {
  for (const type of Object.keys(killTargets))
    it(`into ${type} ends, and runs when asked`, (t) => givesUp(t, type))
})
