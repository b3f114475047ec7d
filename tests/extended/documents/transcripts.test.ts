import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Flow } from '../../../scripts/transcripts/flows.ts'
import { flows } from '../../../scripts/transcripts/flows.ts'
import { recordFlow, withoutTimes } from '../../../scripts/transcripts/record-flow.ts'

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0

/** Why a flow cannot be recorded here. */
function skipOf({ steps }: Flow): string | false {
  if (!isInstalled('curl')) return 'curl is not installed'
  const needsGdal = steps.some(({ command }) => /gdalinfo|ogrinfo/.test(command))
  return needsGdal && !isInstalled('gdalinfo') ? 'GDAL is not installed' : false
}

describe('transcripts', { concurrency: true }, () => {
  for (const flow of flows) {
    it(`${flow.name} is what a server answers to its commands`, { skip: skipOf(flow) }, async () => {
      const written = readFileSync(`docs/transcripts/${flow.name}.md`, 'utf8')
      const recorded = await recordFlow(process.cwd(), flow)
      assert.equal(withoutTimes(recorded), withoutTimes(written), 'node scripts/transcripts.ts records anew')
    })
  }
})
