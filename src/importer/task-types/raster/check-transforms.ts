import { invalid } from '../../../core/errors/errors.ts'
import { findProgram } from '../../../core/process/process.ts'
import { validateTransform } from '../../../transforms/chain.ts'
import { rasterSteps, type TransformSpec } from '../../../transforms/index.ts'

/** Validates single transformations: type and parameters, and that their programs are installed. */
export async function requirePrograms(specs: readonly TransformSpec[]): Promise<void> {
  for (const spec of specs) {
    const transform = validateTransform(spec)
    if (transform.kind !== 'raster' || (await findProgram(transform.program)) !== undefined) continue
    throw invalid(
      'gdal-missing',
      `${transform.type} needs the program ${transform.program}, which is not installed: install the Debian package gdal-bin`,
    )
  }
}

/** Validates a chain for a raster task: kinds, options, and that the data are a single file. */
export async function checkRasterTransforms(
  specs: readonly TransformSpec[],
  { isSingle }: { isSingle: boolean },
): Promise<void> {
  rasterSteps(specs)
  if (specs.length > 0 && !isSingle) {
    throw invalid('invalid-transform', 'Raster transformations need a single file, and the task has several')
  }
  await requirePrograms(specs)
}
