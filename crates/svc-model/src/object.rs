//! A JSON object whose properties are kept as they were written.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::value::RawValue;

/// A JSON object that keeps the order of its properties and the text of their values.
///
/// Numbers keep every digit (`1.10`, integers beyond 2^53), nested objects their spelling, so that
/// whatever a caller stored comes back as it was. Of a name that comes twice, the last value counts.
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

    /// The object that `value` is written as.
    ///
    /// # Errors
    /// When `value` cannot be written as JSON, or is not written as an object.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::from_str(&serde_json::to_string(value)?)
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
    /// When the property is there and is no `T`.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, serde_json::Error> {
        self.get_raw(name).map(serde_json::from_str).transpose()
    }

    /// Whether the object has this property.
    pub fn contains(&self, name: &str) -> bool {
        self.get_raw(name).is_some()
    }

    /// Sets a property; one that is there keeps its place.
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

    /// Sets a property to JSON text; one that is there keeps its place.
    pub fn set_raw(&mut self, name: &str, value: Box<RawValue>) {
        match self.properties.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value,
            None => self.properties.push((name.to_owned(), value)),
        }
    }

    /// Takes a property out.
    pub fn remove(&mut self, name: &str) -> Option<Box<RawValue>> {
        let index = self.properties.iter().position(|(key, _)| key == name)?;
        Some(self.properties.remove(index).1)
    }

    /// The properties in their order: name, and value as JSON text.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &RawValue)> {
        self.properties
            .iter()
            .map(|(name, value)| (name.as_str(), &**value))
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
    /// Same properties in the same order, values equal as text.
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
        struct Properties;

        impl<'de> Visitor<'de> for Properties {
            type Value = JsonObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonObject, A::Error> {
                // Looked up by index, so that an object of very many properties stays linear.
                let mut places = std::collections::HashMap::new();
                let mut properties: Vec<(String, Box<RawValue>)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    match places.get(&name) {
                        Some(&place) => {
                            let slot: &mut (String, Box<RawValue>) = &mut properties[place];
                            slot.1 = value;
                        }
                        None => {
                            places.insert(name.clone(), properties.len());
                            properties.push((name, value));
                        }
                    }
                }
                Ok(JsonObject { properties })
            }
        }

        deserializer.deserialize_map(Properties)
    }
}
