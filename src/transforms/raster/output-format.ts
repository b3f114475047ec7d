/** The format of what the programs write. */
export const outputFormat = 'GeoTIFF'
