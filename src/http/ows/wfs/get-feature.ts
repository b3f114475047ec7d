import { keepPrivately } from '../../caching.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { OwsParts } from '../ows-parts.ts'
import type { FeatureRequest } from './feature-request.ts'
import { readFeatureRequest } from './kvp-feature-request.ts'
import { readOutputFormat } from './output-formats.ts'
import { toReadings } from './readings.ts'
import { sendHits, sendPage } from './send-page.ts'
import { sendSeveral } from './several-types.ts'
import { sendShapeZip } from './shape-zip.ts'
import { sendById, storedId } from './stored-queries.ts'
import type { WfsRequest } from './wfs-parts.ts'

/** Features of a type (OGC 09-025r2, section 11; 04-094, section 9). */
export async function getFeature(parts: OwsParts, asked: WfsRequest): Promise<unknown> {
  const id = storedId(asked)
  if (id !== undefined) return sendById(parts, asked, id, (wanted) => sendFeatures(parts, asked, wanted))
  return sendFeatures(
    parts,
    asked,
    asked.features ?? (await readFeatureRequest(asked.values, parts.documents)),
  )
}

/** Sends the requested features. */
async function sendFeatures(parts: OwsParts, asked: WfsRequest, wanted: FeatureRequest): Promise<unknown> {
  const { name: output, mediaType } = readOutputFormat(wanted.outputFormat, asked.version)
  const readings = await toReadings(parts, asked, wanted)
  const [reading, ...others] = readings
  if (reading === undefined)
    throw new OwsFailure('MissingParameterValue', 'The parameter TYPENAMES is missing', 'typenames')
  keepPrivately(asked.reply)
  if (wanted.resultType === 'hits') {
    const output = asked.version === '2.0.0' ? 'gml32' : 'gml31'
    return sendHits(parts, asked, readings, output)
  }
  if (output === 'shape-zip' && others.length > 0)
    throw new OwsFailure('InvalidParameterValue', 'A Shapefile has one type: ask for each', 'outputformat')
  if (output === 'shape-zip') return sendShapeZip(parts, asked, reading, wanted)
  if (others.length > 0) return sendSeveral(parts, asked, { readings, wanted, output, mediaType })
  return sendPage(parts, asked, { reading, wanted, output, mediaType })
}
