const flag = /^(?:YES|NO|TRUE|FALSE|ON|OFF)$/i
const whole = /^\d{1,9}$/
const decimal = /^-?\d{1,12}(?:\.\d{1,12})?$/
const compression =
  /^(?:NONE|LZW|PACKBITS|JPEG|JXL|CCITTRLE|CCITTFAX3|CCITTFAX4|DEFLATE|LZMA|ZSTD|WEBP|LERC|LERC_DEFLATE|LERC_ZSTD)$/i
const predictor = /^(?:[123]|YES|NO|STANDARD|FLOATING_POINT)$/i
const resampling =
  /^(?:NEAREST|AVERAGE|BILINEAR|CUBIC|CUBICSPLINE|LANCZOS|MODE|RMS|GAUSS|MAX|MIN|MED|Q1|Q3|SUM)$/i
/** The number of threads is limited, so that one transformation does not occupy the whole machine. */
const threads = /^(?:ALL_CPUS|[1-9]|1[0-6])$/i

/**
 * Creation options of GTiff and COG for the output file; those that write or read further files are excluded.
 */
export const creationSettings: Record<string, RegExp> = {
  ADD_ALPHA: flag,
  ALIGNED_LEVELS: whole,
  ALPHA: /^(?:YES|NO|NON-PREMULTIPLIED|PREMULTIPLIED|UNSPECIFIED)$/i,
  BIGTIFF: /^(?:YES|NO|IF_NEEDED|IF_SAFER)$/i,
  BLOCKSIZE: whole,
  BLOCKXSIZE: whole,
  BLOCKYSIZE: whole,
  COMPRESS: compression,
  COPY_SRC_OVERVIEWS: /^(?:YES|NO|AUTO|TRUE|FALSE)$/i,
  DISCARD_LSB: /^\d{1,2}(?:,\d{1,2}){0,15}$/,
  ENDIANNESS: /^(?:NATIVE|INVERTED|LITTLE|BIG)$/i,
  GEOTIFF_KEYS_FLAVOR: /^(?:STANDARD|ESRI_PE)$/i,
  GEOTIFF_VERSION: /^(?:AUTO|1\.0|1\.1)$/i,
  INTERLEAVE: /^(?:BAND|PIXEL)$/i,
  JPEGTABLESMODE: /^[0-3]$/,
  JPEG_QUALITY: whole,
  JXL_DISTANCE: decimal,
  JXL_EFFORT: whole,
  JXL_LOSSLESS: flag,
  LEVEL: whole,
  LZMA_PRESET: /^\d$/,
  MAX_Z_ERROR: decimal,
  NBITS: whole,
  NUM_THREADS: threads,
  OVERVIEWS: /^(?:AUTO|IGNORE_EXISTING|FORCE_USE_EXISTING|NONE)$/i,
  OVERVIEW_COMPRESS: compression,
  OVERVIEW_COUNT: /^\d{1,2}$/,
  OVERVIEW_PREDICTOR: predictor,
  OVERVIEW_QUALITY: whole,
  OVERVIEW_RESAMPLING: resampling,
  PHOTOMETRIC: /^(?:MINISBLACK|MINISWHITE|PALETTE|RGB|CMYK|YCBCR|CIELAB|ICCLAB|ITULAB)$/i,
  PIXELTYPE: /^(?:DEFAULT|SIGNEDBYTE)$/i,
  PREDICTOR: predictor,
  PROFILE: /^(?:GDALGeoTIFF|GeoTIFF)$/i,
  QUALITY: whole,
  RESAMPLING: resampling,
  SPARSE_OK: flag,
  STREAMABLE_OUTPUT: flag,
  TILED: flag,
  TILING_SCHEME: /^(?:CUSTOM|GoogleMapsCompatible)$/i,
  WARP_RESAMPLING: resampling,
  WEBP_LEVEL: whole,
  WEBP_LOSSLESS: flag,
  ZLEVEL: whole,
  ZOOM_LEVEL: /^\d{1,2}$/,
  ZOOM_LEVEL_STRATEGY: /^(?:AUTO|LOWER|UPPER)$/i,
  ZSTD_LEVEL: whole,
}

/** Options of the warper, excluding cutlines, which come from other files. */
export const warpSettings: Record<string, RegExp> = {
  APPLY_VERTICAL_SHIFT: flag,
  DST_ALPHA_MAX: whole,
  ERROR_OUT_IF_EMPTY_SOURCE_WINDOW: flag,
  INIT_DEST: /^(?:NO_DATA|-?\d[\d.eE+-]{0,20}(?:,-?\d[\d.eE+-]{0,20}){0,9})$/i,
  NUM_THREADS: threads,
  OPTIMIZE_SIZE: flag,
  SAMPLE_GRID: flag,
  SAMPLE_STEPS: /^(?:ALL|\d{1,5})$/i,
  SKIP_NOSOURCE: flag,
  SOURCE_EXTRA: /^\d{1,4}$/,
  SRC_ALPHA_MAX: whole,
  STREAMABLE_OUTPUT: flag,
  UNIFIED_SRC_NODATA: /^(?:YES|NO|PARTIAL)$/i,
  WRITE_FLUSH: flag,
}

/**
 * Options of the coordinate transformer, excluding those that name elevation models, geolocation arrays or a
 * CRS.
 */
export const transformerSettings: Record<string, RegExp> = {
  ALLOW_BALLPARK: flag,
  AREA_OF_INTEREST: /^-?\d[\d.]{0,20}(?:,-?\d[\d.]{0,20}){3}$/,
  CENTER_LONG: decimal,
  GCPS_OK: flag,
  INSERT_CENTER_LONG: flag,
  MAX_GCP_ORDER: /^-?[0-3]$/,
  ONLY_BEST: /^(?:AUTO|YES|NO)$/i,
  PROMOTE_TO_3D: flag,
  REFINE_MINIMUM_GCPS: whole,
  REFINE_TOLERANCE: decimal,
  RPC_HEIGHT: decimal,
  RPC_HEIGHT_SCALE: decimal,
  RPC_MAX_ITERATIONS: /^\d{1,3}$/,
  RPC_PIXEL_ERROR_THRESHOLD: decimal,
  SRC_METHOD: /^(?:NO_GEOTRANSFORM|GEOTRANSFORM|GCP_POLYNOMIAL|GCP_TPS|GCP_HOMOGRAPHY|RPC)$/i,
  STRIP_VERT_CS: flag,
}
