import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const texts = [
  '',
  'tab\there',
  'new\nline',
  'back\\slash',
  '\\N',
  'quotes " \'',
  'Grüße 日本語',
  '007',
  '{1,2}',
]
const numbers = [0, -1, 2147483647, 9007199254740991, 0.1, 1e300, -1.5, 1e-7, 3]

function topology(): object {
  const geometries = texts.map((text, index) => ({
    type: 'Point',
    coordinates: [index, -index],
    properties: {
      text,
      number: numbers[index],
      whole: index,
      flag: index % 2 === 0,
      mixed: index % 2 ? text : index,
    },
  }))
  return { type: 'Topology', arcs: [], objects: { t: { type: 'GeometryCollection', geometries } } }
}

function esriFeatures(): object {
  const types = {
    id: 'OID',
    small: 'SmallInteger',
    whole: 'Integer',
    single: 'Single',
    number: 'Double',
    text: 'String',
    guid: 'GUID',
    at: 'Date',
  }
  const features = texts.map((text, index) => ({
    geometry: { x: index, y: -index },
    attributes: {
      id: index + 1,
      small: index === 3 ? null : 32767 - index,
      whole: -2147483648 + index,
      single: index / 4,
      number: numbers[index],
      text: index === 4 ? null : text,
      guid: '{6F1E6C3E-0E2F-4D4B-8F0E-2F1F6C1D9A10}',
      at: 1709201472000 + index,
    },
  }))
  const fields = Object.entries(types).map(([name, type]) => ({
    name,
    type: `esriFieldType${type}`,
    alias: name,
  }))
  return { geometryType: 'esriGeometryPoint', spatialReference: { wkid: 4326 }, fields, features }
}

/** Writes files in formats that GDAL reads and cannot write with values of every type. */
export async function writeReadOnlyFormats(
  folder: string,
): Promise<{ name: string; path: string; driver: string }[]> {
  const files = [
    { name: 'TopoJSON', path: join(folder, 'topology.topojson'), driver: 'TopoJSON', content: topology() },
    {
      name: 'ESRIJSON',
      path: join(folder, 'features.esrijson'),
      driver: 'ESRIJSON',
      content: esriFeatures(),
    },
  ]
  for (const { path, content } of files) await writeFile(path, JSON.stringify(content))
  return files.map(({ name, path, driver }) => ({ name, path, driver }))
}
