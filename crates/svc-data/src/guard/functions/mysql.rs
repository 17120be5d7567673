//! Functions of MySQL and MariaDB: the built-in ones, without those that wait, lock, read files, keep
//! something in the session or reveal something about the server. A stored function is never built in.

/// Sorted, in lower case, a paragraph for each letter.
pub(super) const FUNCTIONS: &str = "
    abs acos adddate addtime any_value ascii asin atan atan2 avg
    bin bin_to_uuid bit_and bit_count bit_length bit_or bit_xor
    ceil ceiling char char_length character_length charset chr coalesce coercibility collation
    concat concat_ws conv convert_tz cos cot count crc32 cume_dist curdate current_date
    current_time current_timestamp curtime
    date date_add date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear
    degrees dense_rank
    elt exp
    field find_in_set first_value floor format from_base64 from_days from_unixtime
    get_format greatest group_concat grouping
    hex hour
    if ifnull inet6_aton inet6_ntoa inet_aton inet_ntoa insert instr interval is_ipv4
    is_ipv4_compat is_ipv4_mapped is_ipv6 is_uuid isnull
    json_array json_array_append json_array_insert json_arrayagg json_compact json_contains
    json_contains_path json_depth json_detailed json_equals json_exists json_extract json_insert
    json_keys json_length json_loose json_merge_patch json_merge_preserve json_normalize
    json_object json_objectagg json_overlaps json_pretty json_query json_quote json_remove
    json_replace json_search json_set json_storage_size json_type json_unquote json_valid
    json_value
    lag last_day last_value lcase lead least left length linestring ln localtime localtimestamp
    locate log log10 log2 lower lpad ltrim
    make_set makedate maketime max mbrcontains mbrintersects mbrwithin md5 median microsecond
    mid min minute mod month monthname
    natural_sort_key now nth_value ntile nullif
    oct octet_length ord
    percent_rank percentile_cont percentile_disc period_add period_diff pi point polygon
    position pow power
    quarter quote
    radians rand rank regexp_instr regexp_like regexp_replace regexp_substr repeat replace
    reverse right round row row_number rpad rtrim
    sec_to_time second sha sha1 sha2 sign sin soundex space sqrt st_area st_asbinary
    st_asgeojson st_astext st_aswkb st_aswkt st_buffer st_centroid st_contains st_convexhull
    st_crosses st_difference st_dimension st_disjoint st_distance st_distance_sphere st_endpoint
    st_envelope st_equals st_geohash st_geometryn st_geometrytype st_geomfromgeojson
    st_geomfromtext st_geomfromwkb st_intersection st_intersects st_isempty st_isvalid
    st_latitude st_length st_longitude st_numgeometries st_numpoints st_overlaps
    st_pointfromtext st_pointn st_simplify st_srid st_startpoint st_symdifference st_touches
    st_transform st_union st_within st_x st_y std stddev stddev_pop stddev_samp str_to_date
    strcmp subdate substr substring substring_index subtime sum sysdate
    tan time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64
    to_char to_days to_seconds trim truncate
    ucase unhex unix_timestamp upper utc_date utc_time utc_timestamp uuid uuid_to_bin
    var_pop var_samp variance
    week weekday weekofyear weight_string
    year yearweek
";
