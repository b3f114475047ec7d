import { Failure } from '../../core/errors/errors.ts'

type Sharp = typeof import('sharp').default

let loading: Promise<Sharp> | undefined

async function load(): Promise<Sharp> {
  try {
    const { default: sharp } = await import('sharp')
    // One thread per image, since several processes run and the machine has other work.
    sharp.concurrency(1)
    sharp.cache({ memory: 16, files: 0, items: 20 })
    return sharp
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`
    throw new Failure(
      'unavailable',
      'no-pictures',
      `Pictures cannot be made on this server: the package "sharp" has no build for ${platform}, or it was left out when packages were installed; vector tiles, legends as SVG and styles are there`,
      { cause },
    )
  }
}

/** Returns the image library; throws `Failure` (`no-pictures`) if it has no build for the platform. */
export function loadSharp(): Promise<Sharp> {
  loading ??= load()
  return loading
}
