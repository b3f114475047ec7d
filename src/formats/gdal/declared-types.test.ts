import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { needsGdal, readTables, testFolder } from '../../../tests/support/gdal-files.ts'

const member = `<gml:featureMember><app:trees gml:id="trees.1"><app:number>1</app:number><app:code>10115</app:code>
<app:height>0.30000000000000004</app:height></app:trees></gml:featureMember>`

async function read(
  test: TestContext,
  { schemaLocation = '', gfs }: { schemaLocation?: string; gfs?: string },
) {
  const folder = await testFolder(test)
  const location = `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${schemaLocation}"`
  await writeFile(
    join(folder, 'trees.gml'),
    `<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml" xmlns:app="http://example.org/app" ${location}>${member}</wfs:FeatureCollection>`,
  )
  if (gfs !== undefined) await writeFile(join(folder, 'trees.gfs'), gfs)
  const [table] = await readTables(join(folder, 'trees.gml'))
  assert.ok(table !== undefined)
  return table
}

function schemaOf(types: Record<string, string>): string {
  const properties = Object.entries(types).map(
    ([name, type]) =>
      `<PropertyDefn><Name>${name}</Name><ElementPath>${name}</ElementPath><Type>String</Type><DeclaredType>${type}</DeclaredType></PropertyDefn>`,
  )
  return `<GMLFeatureClassList><GMLFeatureClass><Name>trees</Name><ElementPath>trees</ElementPath><GeometryType>100</GeometryType>${properties.join('')}</GMLFeatureClass></GMLFeatureClassList>`
}

describe('the types that a feature schema beside GML declares', needsGdal, () => {
  it('are those of the attributes, also without values', async (test) => {
    const gfs = schemaOf({ number: 'int64', code: 'text', height: 'float64', planted: 'date' })
    const { columns, rows } = await read(test, { gfs })
    assert.deepEqual(columns, ['gml_id text', 'number int64', 'code text', 'height float64', 'planted date'])
    assert.deepEqual(rows, [['trees.1', 1n, '10115', 0.30000000000000004, null]])
  })

  it('give way to the types of values that contradict them, with a warning', async (test) => {
    const { columns, layer } = await read(test, { gfs: schemaOf({ number: 'date', code: 'boolean' }) })
    assert.deepEqual(columns, ['gml_id text', 'number int32', 'code int32'])
    assert.deepEqual(
      layer.messages?.map(({ code, level }) => `${level} ${code}`),
      ['warning declared-type-wrong', 'warning declared-type-wrong'],
    )
  })
})

describe('GML that was saved from a WFS', needsGdal, () => {
  it('is read without a request for its schema', async (test) => {
    const address =
      'http://127.0.0.1:9/ows?SERVICE=WFS&amp;VERSION=1.1.0&amp;REQUEST=DescribeFeatureType&amp;TYPENAME=trees'
    const { rows } = await read(test, { schemaLocation: `http://example.org/app ${address}` })
    assert.equal(rows.length, 1)
  })
})
