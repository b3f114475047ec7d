/** Output format of the programs. */
export const outputFormat = 'GeoTIFF'
