//! Functions of PostgreSQL: the built-in ones, and the common ones of PostGIS, `pg_trgm`, `unaccent`,
//! `uuid-ossp` and TimescaleDB. Everything that begins with `pg_` or `lo_` stays off.

/// Sorted, in lower case, a paragraph for each letter.
pub(super) const FUNCTIONS: &str = "
    abbrev abs acos acosd acosh age any_value area array array_agg array_append array_cat
    array_dims array_length array_lower array_ndims array_position array_positions array_prepend
    array_remove array_replace array_reverse array_sample array_shuffle array_sort array_to_json
    array_to_string array_to_tsvector array_upper ascii asin asind asinh atan atan2 atan2d atand
    atanh avg
    bit_and bit_count bit_length bit_or bit_xor bool bool_and bool_or bound_box box
    box_bound_box bpchar broadcast btrim
    cardinality casefold cbrt ceil ceiling center char_length character_length chr circle
    clock_timestamp coalesce concat concat_ws convert_from convert_to corr cos cosd cosh cot
    cotd count covar_pop covar_samp crc32 crc32c cume_dist current_date current_time
    current_timestamp
    date date_add date_bin date_part date_subtract date_trunc datemultirange daterange decode
    degrees dense_rank diagonal diameter difference div dmetaphone
    encode enum_first enum_last enum_range erf erfc every exp
    factorial family first_value float4 float8 floor format
    gamma gcd gen_random_uuid generate_series generate_subscripts get_bit get_byte greatest
    grouping
    height host hostmask
    inet_merge inet_same_family initcap int2 int4 int4multirange int4range int8 int8multirange
    int8range interpolate interval isclosed isempty isfinite ishorizontal isopen isparallel
    isperp isvertical
    json json_agg json_agg_strict json_array json_array_elements json_array_elements_text
    json_array_length json_arrayagg json_build_array json_build_object json_each json_each_text
    json_exists json_extract_path json_extract_path_text json_object json_object_agg
    json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict json_object_keys
    json_objectagg json_populate_record json_populate_recordset json_query json_scalar
    json_serialize json_strip_nulls json_to_record json_to_recordset json_to_tsvector
    json_typeof json_value jsonb_agg jsonb_agg_strict jsonb_array_elements
    jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each
    jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object
    jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique
    jsonb_object_agg_unique_strict jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz
    jsonb_path_match jsonb_path_match_tz jsonb_path_query jsonb_path_query_array
    jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz
    jsonb_path_query_tz jsonb_populate_record jsonb_populate_recordset jsonb_pretty jsonb_set
    jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_to_tsvector
    jsonb_typeof justify_days justify_hours justify_interval
    lag last_value lcm lead least left length levenshtein levenshtein_less_equal lgamma line ln
    localtime localtimestamp locf log log10 lower lower_inc lower_inf lpad lseg ltrim
    macaddr8_set7bit make_date make_interval make_time make_timestamp make_timestamptz masklen
    max md5 metaphone min min_scale mod mode multirange
    netmask network normalize now npoints nth_value ntile nullif num_nonnulls num_nulls numeric
    nummultirange numnode numrange
    octet_length overlaps overlay
    parse_ident path pclose percent_rank percentile_cont percentile_disc phraseto_tsquery pi
    plainto_tsquery point polygon popen position pow power
    querytree quote_ident quote_literal quote_nullable
    radians radius random random_normal range_agg range_intersect_agg range_merge rank
    regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace
    regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count
    regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse right
    round row row_number row_to_json rpad rtrim
    scale set_bit set_byte set_masklen setweight sha224 sha256 sha384 sha512 show_trgm sign
    similarity sin sind sinh slope soundex split_part sqrt st_area st_asbinary st_asewkb
    st_asewkt st_asgeojson st_astext st_aswkb st_azimuth st_boundary st_buffer st_centroid
    st_closestpoint st_collect st_contains st_containsproperly st_convexhull st_coveredby
    st_covers st_crosses st_difference st_dimension st_disjoint st_distance st_distancesphere
    st_dwithin st_endpoint st_envelope st_equals st_extent st_geogfromtext st_geometryn
    st_geometrytype st_geomfromewkt st_geomfromgeojson st_geomfromtext st_geomfromwkb
    st_intersection st_intersects st_isempty st_isvalid st_length st_makebox2d st_makeenvelope
    st_makeline st_makepoint st_makepolygon st_makevalid st_maxdistance st_npoints
    st_numgeometries st_numpoints st_overlaps st_perimeter st_point st_pointn st_pointonsurface
    st_setsrid st_simplify st_snaptogrid st_srid st_startpoint st_symdifference st_touches
    st_transform st_union st_within st_x st_xmax st_xmin st_y st_ymax st_ymin st_z starts_with
    statement_timestamp stddev stddev_pop stddev_samp strict_word_similarity string_agg
    string_to_array string_to_table strip strpos substr substring sum
    tan tand tanh text time time_bucket time_bucket_gapfill timeofday timestamp timestamptz
    timezone to_ascii to_bin to_char to_date to_hex to_json to_jsonb to_number to_oct
    to_timestamp to_tsquery to_tsvector transaction_timestamp translate trim trim_array
    trim_scale trunc ts_delete ts_filter ts_headline ts_rank ts_rank_cd tsmultirange
    tsquery_phrase tsrange tstzmultirange tstzrange tsvector_to_array
    unaccent unicode_assigned unistr unnest upper upper_inc upper_inf uuid
    uuid_extract_timestamp uuid_extract_version uuid_generate_v1 uuid_generate_v4 uuidv4 uuidv7
    var_pop var_samp varchar variance
    websearch_to_tsquery width width_bucket word_similarity
";
