import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formBody, otherLimits } from './form-body.ts'
import type { Draft } from './types.ts'

const draft: Draft = {
  name: 'wells',
  data: {
    type: 'service',
    kind: 'arcgis-featureserver',
    location: 'https://gis.example.org/FeatureServer',
    layer: '0',
    username: 'reader',
    password: '********',
    incremental: { field: 'edited', fullEvery: 12 },
  },
  transforms: [{ type: 'DateFormatTransform' }],
  target: { workspace: 'city', store: 'pg', layer: 'wells' },
  srs: 'EPSG:25832',
  updateMode: 'UPSERT',
  keys: ['OBJECTID'],
  deleteMissing: true,
  stopIf: { removed: { percent: 10, rows: 5 }, fewer: 3, crs: true, columns: 'lost' },
  schedule: { cron: '0 3 * * *', timeZone: 'Europe/Berlin' },
  overdueSeconds: 5400,
  retry: { times: 5, firstSeconds: 60 },
  receivers: ['duty@example.org', 'https://hooks.example.org/a'],
  owner: 'anna',
}

/** Fields of the form of the draft before anything is typed. */
const unchanged = {
  type: 'service',
  kind: 'arcgis-featureserver',
  location: 'https://gis.example.org/FeatureServer',
  layer: '0',
  where: '',
  incremental: 'on',
  username: 'reader',
  password: '',
  workspace: 'city',
  targetLayer: 'wells',
  updateMode: 'UPSERT',
  keys: 'OBJECTID',
  deleteMissing: 'on',
  srs: 'EPSG:25832',
  schedule: 'daily',
  time: '03:00',
  timeZone: 'Europe/Berlin',
  removedPercent: '10',
  changedPercent: '',
  fewer: '3',
  receivers: 'duty@example.org\nhttps://hooks.example.org/a',
  overdueMinutes: '90',
  retries: '5',
  owner: 'anna',
}

function bodyOf(typed: Record<string, string | undefined>): Record<string, unknown> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...unchanged, ...typed }))
    if (value !== undefined) form.set(name, value)
  // What is undefined is not sent.
  return JSON.parse(JSON.stringify(formBody(form, draft))) as Record<string, unknown>
}

describe('the settings in the form of a source', () => {
  it('are those of the source until something is typed, without its password', () => {
    const { name: _name, data, retry: _retry, ...settings } = draft
    const { password: _password, ...shown } = data
    assert.deepEqual(bodyOf({}), { ...settings, data: shown, retry: { times: 5 } })
  })

  it('keep limits and options that have no field', () => {
    const { stopIf, target, data } = bodyOf({ removedPercent: '', fewer: '', changedPercent: '2.5' })
    assert.deepEqual(stopIf, { removed: { rows: 5 }, changed: { percent: 2.5 }, crs: true, columns: 'lost' })
    assert.deepEqual(target, draft.target)
    assert.deepEqual((data as Draft['data'])['incremental'], { field: 'edited', fullEvery: 12 })
    assert.deepEqual(otherLimits(draft.stopIf), ['crs', 'columns'])
  })

  it('belong to one type of data: another type starts anew', () => {
    const { data } = bodyOf({ type: 'remote', location: 'https://example.org/a.gpkg', password: 'secret' })
    assert.deepEqual(data, {
      type: 'remote',
      location: 'https://example.org/a.gpkg',
      username: 'reader',
      password: 'secret',
    })
    assert.deepEqual(bodyOf({ type: 'directory', location: '/data/in' })['data'], {
      type: 'directory',
      location: '/data/in',
    })
  })

  it('have no keys and no deletion unless rows are matched, and can be emptied', () => {
    const body = bodyOf({ updateMode: 'REPLACE', srs: '', schedule: 'none', receivers: ' ' })
    assert.deepEqual(
      [body['keys'], body['deleteMissing'], body['srs'], body['schedule'], body['receivers']],
      [[], false, null, null, []],
    )
    assert.deepEqual(bodyOf({ keys: ' a, b ,' })['keys'], ['a', 'b'])
  })
})
