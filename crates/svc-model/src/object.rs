//! A JSON object that keeps its properties as they were written.

use std::{collections::HashMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _, MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::value::RawValue;

/// A JSON object that keeps the order of its properties and the text of their values.
///
/// Numbers keep every digit (`1.10`, integers beyond 2^53) and nested objects keep their formatting, so
/// that a caller gets back exactly what was stored. If a name occurs twice, the last value counts.
///
/// ```
/// use svc_model::JsonObject;
///
/// let text = r#"{"b":1.10,"a":{"deep": [9007199254740993]}}"#;
/// let object: JsonObject = serde_json::from_str(text)?;
/// assert_eq!(serde_json::to_string(&object)?, text);
/// assert_eq!(object.get_raw("b"), Some("1.10"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct JsonObject {
    properties: Vec<(String, Box<RawValue>)>,
}

impl JsonObject {
    /// An object without properties.
    pub fn new() -> Self {
        Self::default()
    }

    /// Serialises `value` as an object.
    ///
    /// # Errors
    /// When `value` cannot be written as JSON, or its JSON is not an object.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::from_str(&serde_json::to_string(value)?)
    }

    /// Reads an object that has at most `max_properties`.
    ///
    /// # Errors
    /// When the text is not a JSON object, or has more properties; reading stops at the first property over the limit.
    pub fn parse(json: &str, max_properties: usize) -> Result<Self, serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(json);
        let object = json.deserialize_map(Properties { max_properties })?;
        json.end().map(|()| object)
    }

    /// Number of properties.
    pub fn len(&self) -> usize {
        self.properties.len()
    }

    /// Whether there are no properties.
    pub fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// The value of a property as JSON text.
    pub fn get_raw(&self, name: &str) -> Option<&str> {
        self.properties
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.get())
    }

    /// The value of a property as a `T`.
    ///
    /// # Errors
    /// When the object has the property and its value is not a `T`.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, serde_json::Error> {
        self.get_raw(name).map(serde_json::from_str).transpose()
    }

    /// Whether the object has this property.
    pub fn contains(&self, name: &str) -> bool {
        self.get_raw(name).is_some()
    }

    /// Sets a property; an existing property keeps its position.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub fn set<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), serde_json::Error> {
        self.set_raw(name, serde_json::value::to_raw_value(value)?);
        Ok(())
    }

    /// Sets a property to JSON text; an existing property keeps its position.
    pub fn set_raw(&mut self, name: &str, value: Box<RawValue>) {
        match self.properties.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value,
            None => self.properties.push((name.to_owned(), value)),
        }
    }

    /// Removes a property and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Box<RawValue>> {
        let index = self.properties.iter().position(|(key, _)| key == name)?;
        Some(self.properties.remove(index).1)
    }

    /// Keeps only the properties for whose names `keep` returns true, in their order.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.properties.retain(|(name, _)| keep(name));
    }

    /// The properties in their order: name, and value as JSON text.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &RawValue)> {
        self.properties
            .iter()
            .map(|(name, value)| (name.as_str(), &**value))
    }
}

/// The maximum nesting depth of arrays and objects in a value that is written. JSON readers have limits of their own,
/// often 128 levels for the whole document.
pub const MAX_JSON_DEPTH: usize = 100;

/// The nesting depth of arrays and objects in a JSON text; 0 for a scalar. Looks at each byte once.
///
/// ```
/// use svc_model::json_depth;
///
/// assert_eq!(json_depth("7"), 0);
/// assert_eq!(json_depth(r#"{"a": [1, {"b": "]]"}]}"#), 3);
/// ```
pub fn json_depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_text, mut is_escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

impl FromIterator<(String, Box<RawValue>)> for JsonObject {
    /// An object with these properties. If a name occurs twice, its first position and its last value count. The cost is
    /// linear, while [`JsonObject::set_raw`] searches all existing properties for each one that is added.
    fn from_iter<I: IntoIterator<Item = (String, Box<RawValue>)>>(properties: I) -> Self {
        let mut collected = IndexedProperties::default();
        for (name, value) in properties {
            if let Err((name, value)) = collected.replace(name, value) {
                collected.push(name, value);
            }
        }
        collected.into_object()
    }
}

/// Up to this number of properties, a linear search is used instead of an index of names.
const MAX_WITHOUT_INDEX: usize = 16;

/// Properties that get an index of their names once there are more than [`MAX_WITHOUT_INDEX`], so that collecting very
/// many of them takes linear time.
#[derive(Default)]
struct IndexedProperties {
    places: HashMap<String, usize>,
    properties: Vec<(String, Box<RawValue>)>,
}

impl IndexedProperties {
    /// Replaces the value of an existing property; returns name and value when there is none.
    fn replace(
        &mut self,
        name: String,
        value: Box<RawValue>,
    ) -> Result<(), (String, Box<RawValue>)> {
        let place = match self.places.is_empty() {
            true => self.properties.iter().position(|(known, _)| *known == name),
            false => self.places.get(&name).copied(),
        };
        match place.and_then(|place| self.properties.get_mut(place)) {
            Some(slot) => {
                slot.1 = value;
                Ok(())
            }
            None => Err((name, value)),
        }
    }

    /// Adds a new property.
    fn push(&mut self, name: String, value: Box<RawValue>) {
        let place = self.properties.len();
        if place == MAX_WITHOUT_INDEX {
            let names = self.properties.iter().map(|(known, _)| known.clone());
            self.places = names.zip(0..).collect();
        }
        if place >= MAX_WITHOUT_INDEX {
            self.places.insert(name.clone(), place);
        }
        self.properties.push((name, value));
    }

    fn into_object(self) -> JsonObject {
        JsonObject {
            properties: self.properties,
        }
    }
}

impl fmt::Debug for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(name, value)| (name, value.get())))
            .finish()
    }
}

impl PartialEq for JsonObject {
    /// Objects are equal when they have the same properties in the same order, with values that are equal as text.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .zip(other.iter())
                .all(|(mine, its)| mine.0 == its.0 && mine.1.get() == its.1.get())
    }
}

impl Eq for JsonObject {}

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Properties {
            max_properties: usize::MAX,
        })
    }
}

/// Reads the properties of an object.
struct Properties {
    max_properties: usize,
}

impl<'de> Visitor<'de> for Properties {
    type Value = JsonObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonObject, A::Error> {
        let mut collected = IndexedProperties::default();
        while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
            let Err((name, value)) = collected.replace(name, value) else {
                continue;
            };
            if collected.properties.len() == self.max_properties {
                return Err(A::Error::custom(format_args!(
                    "at most {} properties are allowed in an object",
                    self.max_properties
                )));
            }
            collected.push(name, value);
        }
        Ok(collected.into_object())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_with_too_many_properties_is_refused_at_the_first_one_over_the_limit() {
        assert_eq!(
            JsonObject::parse(r#"{"a":1,"b":2,"a":3}"#, 2)
                .unwrap()
                .len(),
            2
        );
        let message = JsonObject::parse(r#"{"a":1,"b":2,"c":3, broken"#, 2).unwrap_err();
        assert!(
            message.to_string().contains("at most 2 properties"),
            "{message}"
        );
        assert!(JsonObject::parse("{} x", 2).is_err());
    }

    #[test]
    fn the_last_value_of_a_repeated_name_counts_however_many_properties_there_are() {
        for count in [
            2,
            MAX_WITHOUT_INDEX - 1,
            MAX_WITHOUT_INDEX,
            MAX_WITHOUT_INDEX + 1,
            3 * MAX_WITHOUT_INDEX,
        ] {
            let names = (0..count).chain(0..count);
            let properties = names.enumerate().map(|(value, name)| {
                let value = RawValue::from_string(value.to_string()).unwrap();
                (format!("p{name}"), value)
            });
            let object: JsonObject = properties.collect();
            assert_eq!(object.len(), count);
            for (place, (name, value)) in object.iter().enumerate() {
                assert_eq!(name, format!("p{place}"));
                assert_eq!(value.get(), (count + place).to_string());
            }
        }
    }

    #[test]
    fn collecting_and_retaining_properties_keeps_their_order() {
        let raw = |json: &str| RawValue::from_string(json.to_owned()).unwrap();
        let properties = [("b", "1"), ("a", "2"), ("b", "3"), ("c", "4")];
        let properties = properties.map(|(name, json)| (name.to_owned(), raw(json)));
        let mut object: JsonObject = properties.into_iter().collect();
        assert_eq!(
            serde_json::to_string(&object).unwrap(),
            r#"{"b":3,"a":2,"c":4}"#
        );
        object.retain(|name| name != "a");
        assert_eq!(serde_json::to_string(&object).unwrap(), r#"{"b":3,"c":4}"#);
    }
}
