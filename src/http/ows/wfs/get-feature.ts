import { keepPrivately } from '../../caching.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { toFeatureReadings } from './feature-readings.ts'
import type { FeatureRequest } from './feature-request.ts'
import { readFeatureRequest } from './kvp-feature-request.ts'
import { readOutputFormat } from './output-formats.ts'
import { sendHits, sendPage } from './send-page.ts'
import { sendSeveral } from './several-types.ts'
import { sendShapeZip } from './shape-zip.ts'
import { sendById, storedId } from './stored-queries.ts'
import type { WfsRequest } from './wfs-deps.ts'

/** Features of a type (OGC 09-025r2, section 11; 04-094, section 9). */
export async function getFeature(deps: OwsDeps, asked: WfsRequest): Promise<unknown> {
  const id = storedId(asked)
  if (id !== undefined) return sendById(deps, asked, id, (wanted) => sendFeatures(deps, asked, wanted))
  return sendFeatures(deps, asked, asked.features ?? (await readFeatureRequest(asked.values, deps.documents)))
}

/** Sends the requested features. */
async function sendFeatures(deps: OwsDeps, asked: WfsRequest, wanted: FeatureRequest): Promise<unknown> {
  const { name: output, mediaType } = readOutputFormat(wanted.outputFormat, asked.version)
  const readings = await toFeatureReadings(deps, asked, wanted)
  const [reading, ...others] = readings
  if (reading === undefined)
    throw new OwsFailure('MissingParameterValue', 'The parameter TYPENAMES is missing', 'typenames')
  keepPrivately(asked.reply)
  if (wanted.resultType === 'hits') {
    const output = asked.version === '2.0.0' ? 'gml32' : 'gml31'
    return sendHits(deps, asked, readings, output)
  }
  if (output === 'shape-zip' && others.length > 0)
    throw new OwsFailure('InvalidParameterValue', 'A Shapefile has one type: ask for each', 'outputformat')
  if (output === 'shape-zip') return sendShapeZip(deps, asked, reading, wanted)
  if (others.length > 0) return sendSeveral(deps, asked, { readings, wanted, output, mediaType })
  return sendPage(deps, asked, { reading, wanted, output, mediaType })
}
