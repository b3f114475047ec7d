/** Systems in which the older services offer every layer with a place; all others that are known are answered too. */
export const commonCrs = ['EPSG:4326', 'EPSG:3857', 'EPSG:4258', 'EPSG:3035', 'EPSG:25832', 'EPSG:25833']
