import type { LayerDescription } from '../../formats/format.ts'
import { chainSchema } from '../../transforms/chain.ts'
import { rasterSteps } from '../../transforms/raster-chain.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import { chainOptions } from '../model/model.ts'

/** True if a chain of transformations fits a layer. */
export function suits({ raster, schema }: LayerDescription, specs: TransformSpec[]): boolean {
  try {
    if (raster === undefined) chainSchema(schema, specs, chainOptions(schema, undefined))
    else rasterSteps(specs)
    return true
  } catch {
    return false
  }
}
