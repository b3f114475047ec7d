import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { flows } from '../../scripts/transcripts/flows.ts'
import { recordFlow, withoutTimes } from '../../scripts/transcripts/record-flow.ts'

const skip = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed'

describe('transcripts', { concurrency: true }, () => {
  for (const flow of flows) {
    it(`${flow.name} is what a server answers to its commands`, { skip }, async () => {
      const written = readFileSync(`docs/transcripts/${flow.name}.md`, 'utf8')
      const recorded = await recordFlow(process.cwd(), flow)
      assert.equal(withoutTimes(recorded), withoutTimes(written), 'node scripts/transcripts.ts records anew')
    })
  }
})
